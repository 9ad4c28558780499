target triple = "x86_64-unknown-linux-gnu"

define void @pawl_running_sum(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {
entry:
  %v0 = getelementptr ptr, ptr %buffers, i64 0
  %b0 = load ptr, ptr %v0, align 8
  %v1 = getelementptr ptr, ptr %buffers, i64 1
  %b1 = load ptr, ptr %v1, align 8
  %v2 = getelementptr ptr, ptr %buffers, i64 2
  %b2 = load ptr, ptr %v2, align 8
  %v3 = getelementptr i64, ptr %params, i64 0
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %params, i64 1
  %v6 = load i64, ptr %v5, align 8
  %v7 = call i64 @llvm.smax.i64(i64 %begin, i64 0)
  %v8 = call i64 @llvm.smin.i64(i64 %end, i64 %v6)
  %v9 = sub i64 %v8, %v7
  %v10 = srem i64 %v9, 32
  %v11 = sub i64 %v8, %v10
  %v12 = icmp slt i64 %v7, %v11
  br i1 %v12, label %L0, label %L2
L0:
  br label %L1
L1:
  %v13 = phi i64 [ %v7, %L0 ], [ %v46, %L5 ]
  %v14 = getelementptr float, ptr %b1, i64 %v13
  %v15 = load <16 x float>, ptr %v14, align 1
  %v16 = getelementptr float, ptr %v14, i64 16
  %v17 = load <16 x float>, ptr %v16, align 1
  %v18 = icmp slt i64 0, %v4
  br i1 %v18, label %L3, label %L5
L3:
  br label %L4
L4:
  %v19 = phi i64 [ 0, %L3 ], [ %v40, %L11 ]
  %v20 = phi <16 x float> [ %v15, %L3 ], [ %v28, %L11 ]
  %v21 = phi <16 x float> [ %v17, %L3 ], [ %v29, %L11 ]
  %v22 = mul i64 %v6, %v19
  %v23 = add i64 %v22, %v13
  %v24 = getelementptr float, ptr %b0, i64 %v23
  %v25 = load <16 x float>, ptr %v24, align 1, !invariant.load !1
  %v26 = getelementptr float, ptr %v24, i64 16
  %v27 = load <16 x float>, ptr %v26, align 1, !invariant.load !1
  %v28 = fadd <16 x float> %v20, %v25
  %v29 = fadd <16 x float> %v21, %v27
  %v30 = mul i64 %v6, %v19
  %v31 = add i64 %v30, %v13
  %v32 = getelementptr float, ptr %b2, i64 %v31
  %v33 = ptrtoint ptr %v32 to i64
  %v34 = and i64 %v33, 63
  %v35 = icmp eq i64 %v34, 0
  br i1 %v35, label %L6, label %L7
L6:
  store <16 x float> %v28, ptr %v32, align 64, !nontemporal !0
  br label %L8
L7:
  store <16 x float> %v28, ptr %v32, align 1
  br label %L8
L8:
  %v36 = getelementptr float, ptr %v32, i64 16
  %v37 = ptrtoint ptr %v36 to i64
  %v38 = and i64 %v37, 63
  %v39 = icmp eq i64 %v38, 0
  br i1 %v39, label %L9, label %L10
L9:
  store <16 x float> %v29, ptr %v36, align 64, !nontemporal !0
  br label %L11
L10:
  store <16 x float> %v29, ptr %v36, align 1
  br label %L11
L11:
  %v40 = add i64 %v19, 1
  %v41 = icmp slt i64 %v40, %v4
  br i1 %v41, label %L4, label %L5
L5:
  %v42 = phi <16 x float> [ %v15, %L1 ], [ %v28, %L11 ]
  %v43 = phi <16 x float> [ %v17, %L1 ], [ %v29, %L11 ]
  %v44 = getelementptr float, ptr %b1, i64 %v13
  store <16 x float> %v42, ptr %v44, align 1
  %v45 = getelementptr float, ptr %v44, i64 16
  store <16 x float> %v43, ptr %v45, align 1
  %v46 = add i64 %v13, 32
  %v47 = icmp slt i64 %v46, %v11
  br i1 %v47, label %L1, label %L2
L2:
  %v48 = icmp slt i64 %v11, %v8
  br i1 %v48, label %L12, label %L14
L12:
  br label %L13
L13:
  %v49 = phi i64 [ %v11, %L12 ], [ %v72, %L17 ]
  %v50 = sub i64 %v8, %v49
  %v51 = trunc i64 %v50 to i32
  %v52 = insertelement <16 x i32> poison, i32 %v51, i64 0
  %v53 = shufflevector <16 x i32> %v52, <16 x i32> poison, <16 x i32> zeroinitializer
  %v54 = icmp ult <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v53
  %v55 = getelementptr float, ptr %b1, i64 %v49
  %v56 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v55, i32 1, <16 x i1> %v54, <16 x float> zeroinitializer)
  %v57 = icmp slt i64 0, %v4
  br i1 %v57, label %L15, label %L17
L15:
  br label %L16
L16:
  %v58 = phi i64 [ 0, %L15 ], [ %v68, %L16 ]
  %v59 = phi <16 x float> [ %v56, %L15 ], [ %v64, %L16 ]
  %v60 = mul i64 %v6, %v58
  %v61 = add i64 %v60, %v49
  %v62 = getelementptr float, ptr %b0, i64 %v61
  %v63 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v62, i32 1, <16 x i1> %v54, <16 x float> zeroinitializer)
  %v64 = fadd <16 x float> %v59, %v63
  %v65 = mul i64 %v6, %v58
  %v66 = add i64 %v65, %v49
  %v67 = getelementptr float, ptr %b2, i64 %v66
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v64, ptr %v67, i32 1, <16 x i1> %v54)
  %v68 = add i64 %v58, 1
  %v69 = icmp slt i64 %v68, %v4
  br i1 %v69, label %L16, label %L17
L17:
  %v70 = phi <16 x float> [ %v56, %L13 ], [ %v64, %L16 ]
  %v71 = getelementptr float, ptr %b1, i64 %v49
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v70, ptr %v71, i32 1, <16 x i1> %v54)
  %v72 = add i64 %v49, 16
  %v73 = icmp slt i64 %v72, %v8
  br i1 %v73, label %L13, label %L14
L14:
  call void @llvm.x86.sse.sfence()
  ret void
}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)
declare void @llvm.x86.sse.sfence()

attributes #0 = { nounwind "target-cpu"="skylake-avx512" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,-prefer-256-bit" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
!0 = !{i32 1}
!1 = !{}
