target triple = "aarch64-unknown-linux-gnu"

define void @pawl_flags(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {
entry:
  %v0 = getelementptr ptr, ptr %buffers, i64 0
  %b0 = load ptr, ptr %v0, align 8
  %v1 = getelementptr ptr, ptr %buffers, i64 1
  %b1 = load ptr, ptr %v1, align 8
  %v2 = getelementptr i64, ptr %params, i64 0
  %v3 = load i64, ptr %v2, align 8
  %v4 = sub i64 %v3, 0
  %v5 = srem i64 %v4, 4
  %v6 = sub i64 %v3, %v5
  %v7 = icmp slt i64 0, %v6
  br i1 %v7, label %L0, label %L2
L0:
  br label %L1
L1:
  %v8 = phi i64 [ 0, %L0 ], [ %v25, %L1 ]
  %v9 = mul i64 -1, %v8
  %v10 = add i64 %v3, %v9
  %v11 = add i64 %v10, -1
  %v12 = getelementptr i8, ptr %b0, i64 %v11
  %v13 = getelementptr i8, ptr %v12, i64 -3
  %v14 = load <4 x i8>, ptr %v13, align 1, !invariant.load !1
  %v15 = shufflevector <4 x i8> %v14, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %v16 = icmp ne <4 x i8> %v15, splat (i8 0)
  %v17 = mul i64 2, %v8
  %v18 = getelementptr i8, ptr %b0, i64 %v17
  %v19 = getelementptr i8, ptr %v18, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  %v20 = call <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr> %v19, i32 1, <4 x i1> splat (i1 true), <4 x i8> zeroinitializer)
  %v21 = icmp ne <4 x i8> %v20, splat (i8 0)
  %v22 = xor <4 x i1> %v16, %v21
  %v23 = getelementptr i8, ptr %b1, i64 %v8
  %v24 = zext <4 x i1> %v22 to <4 x i8>
  store <4 x i8> %v24, ptr %v23, align 1
  %v25 = add i64 %v8, 4
  %v26 = icmp slt i64 %v25, %v6
  br i1 %v26, label %L1, label %L2
L2:
  %v27 = icmp slt i64 %v6, %v3
  br i1 %v27, label %L3, label %L5
L3:
  br label %L4
L4:
  %v28 = phi i64 [ %v6, %L3 ], [ %v42, %L4 ]
  %v29 = mul i64 -1, %v28
  %v30 = add i64 %v3, %v29
  %v31 = add i64 %v30, -1
  %v32 = getelementptr i8, ptr %b0, i64 %v31
  %v33 = load i8, ptr %v32, align 1, !invariant.load !1
  %v34 = icmp ne i8 %v33, 0
  %v35 = mul i64 2, %v28
  %v36 = getelementptr i8, ptr %b0, i64 %v35
  %v37 = load i8, ptr %v36, align 1, !invariant.load !1
  %v38 = icmp ne i8 %v37, 0
  %v39 = xor i1 %v34, %v38
  %v40 = getelementptr i8, ptr %b1, i64 %v28
  %v41 = zext i1 %v39 to i8
  store i8 %v41, ptr %v40, align 1
  %v42 = add i64 %v28, 1
  %v43 = icmp slt i64 %v42, %v3
  br i1 %v43, label %L4, label %L5
L5:
  ret void
}

declare <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i8>)

attributes #0 = { nounwind "target-cpu"="generic" "target-features"="+neon" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
!0 = !{i32 1}
!1 = !{}
