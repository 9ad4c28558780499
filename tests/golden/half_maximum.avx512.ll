target triple = "x86_64-unknown-linux-gnu"

define void @pawl_half_maximum(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {
entry:
  %v0 = getelementptr ptr, ptr %buffers, i64 0
  %b0 = load ptr, ptr %v0, align 8
  %v1 = getelementptr ptr, ptr %buffers, i64 1
  %b1 = load ptr, ptr %v1, align 8
  %v2 = getelementptr i64, ptr %params, i64 0
  %v3 = load i64, ptr %v2, align 8
  %v4 = sub i64 %v3, 0
  %v5 = srem i64 %v4, 16
  %v6 = sub i64 %v3, %v5
  %v7 = icmp slt i64 0, %v6
  br i1 %v7, label %L0, label %L2
L0:
  br label %L1
L1:
  %v8 = phi i64 [ 0, %L0 ], [ %v20, %L1 ]
  %v9 = getelementptr i16, ptr %b0, i64 %v8
  %v10 = load <16 x i16>, ptr %v9, align 1, !invariant.load !1
  %v11 = bitcast <16 x i16> %v10 to <16 x half>
  %v12 = fpext <16 x half> %v11 to <16 x float>
  %v13 = fcmp olt <16 x float> %v12, splat (float 0x0000000000000000)
  %v14 = select <16 x i1> %v13, <16 x float> splat (float 0x0000000000000000), <16 x float> %v12
  %v15 = fcmp uno <16 x float> splat (float 0x0000000000000000), splat (float 0x0000000000000000)
  %v16 = select <16 x i1> %v15, <16 x float> splat (float 0x0000000000000000), <16 x float> %v14
  %v17 = fptrunc <16 x float> %v16 to <16 x half>
  %v18 = bitcast <16 x half> %v17 to <16 x i16>
  %v19 = getelementptr i16, ptr %b1, i64 %v8
  store <16 x i16> %v18, ptr %v19, align 1
  %v20 = add i64 %v8, 16
  %v21 = icmp slt i64 %v20, %v6
  br i1 %v21, label %L1, label %L2
L2:
  %v22 = icmp slt i64 %v6, %v3
  br i1 %v22, label %L3, label %L5
L3:
  br label %L4
L4:
  %v23 = phi i64 [ %v6, %L3 ], [ %v40, %L4 ]
  %v24 = sub i64 %v3, %v23
  %v25 = trunc i64 %v24 to i32
  %v26 = insertelement <16 x i32> poison, i32 %v25, i64 0
  %v27 = shufflevector <16 x i32> %v26, <16 x i32> poison, <16 x i32> zeroinitializer
  %v28 = icmp ult <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v27
  %v29 = getelementptr i16, ptr %b0, i64 %v23
  %v30 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %v29, i32 1, <16 x i1> %v28, <16 x i16> zeroinitializer)
  %v31 = bitcast <16 x i16> %v30 to <16 x half>
  %v32 = fpext <16 x half> %v31 to <16 x float>
  %v33 = fcmp olt <16 x float> %v32, splat (float 0x0000000000000000)
  %v34 = select <16 x i1> %v33, <16 x float> splat (float 0x0000000000000000), <16 x float> %v32
  %v35 = fcmp uno <16 x float> splat (float 0x0000000000000000), splat (float 0x0000000000000000)
  %v36 = select <16 x i1> %v35, <16 x float> splat (float 0x0000000000000000), <16 x float> %v34
  %v37 = fptrunc <16 x float> %v36 to <16 x half>
  %v38 = bitcast <16 x half> %v37 to <16 x i16>
  %v39 = getelementptr i16, ptr %b1, i64 %v23
  call void @llvm.masked.store.v16i16.p0(<16 x i16> %v38, ptr %v39, i32 1, <16 x i1> %v28)
  %v40 = add i64 %v23, 16
  %v41 = icmp slt i64 %v40, %v3
  br i1 %v41, label %L4, label %L5
L5:
  ret void
}

declare <16 x i16> @llvm.masked.load.v16i16.p0(ptr, i32, <16 x i1>, <16 x i16>)
declare void @llvm.masked.store.v16i16.p0(<16 x i16>, ptr, i32, <16 x i1>)

attributes #0 = { nounwind "target-cpu"="skylake-avx512" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,-prefer-256-bit" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
!0 = !{i32 1}
!1 = !{}
