target triple = "x86_64-unknown-linux-gnu"

define void @pawl_fused_loop(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {
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
  %v7 = getelementptr i64, ptr %params, i64 2
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %params, i64 3
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %params, i64 4
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %params, i64 5
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %params, i64 6
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %params, i64 7
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %params, i64 8
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %params, i64 9
  %v22 = load i64, ptr %v21, align 8
  %v23 = icmp slt i64 0, %v4
  br i1 %v23, label %L0, label %L2
L0:
  br label %L1
L1:
  %v24 = phi i64 [ 0, %L0 ], [ %v128, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 32
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v90, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr float, ptr %b0, i64 %v30
  %v32 = load <8 x float>, ptr %v31, align 1
  %v33 = getelementptr float, ptr %v31, i64 8
  %v34 = load <8 x float>, ptr %v33, align 1
  %v35 = getelementptr float, ptr %v31, i64 16
  %v36 = load <8 x float>, ptr %v35, align 1
  %v37 = getelementptr float, ptr %v31, i64 24
  %v38 = load <8 x float>, ptr %v37, align 1
  %v39 = icmp slt i64 0, %v6
  br i1 %v39, label %L6, label %L8
L6:
  br label %L7
L7:
  %v40 = phi i64 [ 0, %L6 ], [ %v79, %L7 ]
  %v41 = phi <8 x float> [ %v32, %L6 ], [ %v66, %L7 ]
  %v42 = phi <8 x float> [ %v34, %L6 ], [ %v67, %L7 ]
  %v43 = phi <8 x float> [ %v36, %L6 ], [ %v68, %L7 ]
  %v44 = phi <8 x float> [ %v38, %L6 ], [ %v69, %L7 ]
  %v45 = fmul <8 x float> splat (float 0x3FECCCCCC0000000), %v41
  %v46 = fmul <8 x float> splat (float 0x3FECCCCCC0000000), %v42
  %v47 = fmul <8 x float> splat (float 0x3FECCCCCC0000000), %v43
  %v48 = fmul <8 x float> splat (float 0x3FECCCCCC0000000), %v44
  %v49 = mul i64 %v14, %v40
  %v50 = add i64 %v12, %v49
  %v51 = mul i64 %v16, %v24
  %v52 = add i64 %v50, %v51
  %v53 = add i64 %v52, %v29
  %v54 = getelementptr float, ptr %b1, i64 %v53
  %v55 = load <8 x float>, ptr %v54, align 1, !invariant.load !1
  %v56 = getelementptr float, ptr %v54, i64 8
  %v57 = load <8 x float>, ptr %v56, align 1, !invariant.load !1
  %v58 = getelementptr float, ptr %v54, i64 16
  %v59 = load <8 x float>, ptr %v58, align 1, !invariant.load !1
  %v60 = getelementptr float, ptr %v54, i64 24
  %v61 = load <8 x float>, ptr %v60, align 1, !invariant.load !1
  %v62 = fmul <8 x float> splat (float 0x3FB99999A0000000), %v55
  %v63 = fmul <8 x float> splat (float 0x3FB99999A0000000), %v57
  %v64 = fmul <8 x float> splat (float 0x3FB99999A0000000), %v59
  %v65 = fmul <8 x float> splat (float 0x3FB99999A0000000), %v61
  %v66 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3FECCCCCC0000000), <8 x float> %v41, <8 x float> %v62)
  %v67 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3FECCCCCC0000000), <8 x float> %v42, <8 x float> %v63)
  %v68 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3FECCCCCC0000000), <8 x float> %v43, <8 x float> %v64)
  %v69 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3FECCCCCC0000000), <8 x float> %v44, <8 x float> %v65)
  %v70 = mul i64 %v20, %v40
  %v71 = add i64 %v18, %v70
  %v72 = mul i64 %v22, %v24
  %v73 = add i64 %v71, %v72
  %v74 = add i64 %v73, %v29
  %v75 = getelementptr float, ptr %b2, i64 %v74
  store <8 x float> %v66, ptr %v75, align 1
  %v76 = getelementptr float, ptr %v75, i64 8
  store <8 x float> %v67, ptr %v76, align 1
  %v77 = getelementptr float, ptr %v75, i64 16
  store <8 x float> %v68, ptr %v77, align 1
  %v78 = getelementptr float, ptr %v75, i64 24
  store <8 x float> %v69, ptr %v78, align 1
  %v79 = add i64 %v40, 1
  %v80 = icmp slt i64 %v79, %v6
  br i1 %v80, label %L7, label %L8
L8:
  %v81 = phi <8 x float> [ %v32, %L4 ], [ %v66, %L7 ]
  %v82 = phi <8 x float> [ %v34, %L4 ], [ %v67, %L7 ]
  %v83 = phi <8 x float> [ %v36, %L4 ], [ %v68, %L7 ]
  %v84 = phi <8 x float> [ %v38, %L4 ], [ %v69, %L7 ]
  %v85 = add i64 %v10, %v29
  %v86 = getelementptr float, ptr %b0, i64 %v85
  store <8 x float> %v81, ptr %v86, align 1
  %v87 = getelementptr float, ptr %v86, i64 8
  store <8 x float> %v82, ptr %v87, align 1
  %v88 = getelementptr float, ptr %v86, i64 16
  store <8 x float> %v83, ptr %v88, align 1
  %v89 = getelementptr float, ptr %v86, i64 24
  store <8 x float> %v84, ptr %v89, align 1
  %v90 = add i64 %v29, 32
  %v91 = icmp slt i64 %v90, %v27
  br i1 %v91, label %L4, label %L5
L5:
  %v92 = icmp slt i64 %v27, %v8
  br i1 %v92, label %L9, label %L11
L9:
  br label %L10
L10:
  %v93 = phi i64 [ %v27, %L9 ], [ %v126, %L14 ]
  %v94 = sub i64 %v8, %v93
  %v95 = trunc i64 %v94 to i32
  %v96 = insertelement <8 x i32> poison, i32 %v95, i64 0
  %v97 = shufflevector <8 x i32> %v96, <8 x i32> poison, <8 x i32> zeroinitializer
  %v98 = icmp ult <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %v97
  %v99 = add i64 %v10, %v93
  %v100 = getelementptr float, ptr %b0, i64 %v99
  %v101 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v100, i32 1, <8 x i1> %v98, <8 x float> zeroinitializer)
  %v102 = icmp slt i64 0, %v6
  br i1 %v102, label %L12, label %L14
L12:
  br label %L13
L13:
  %v103 = phi i64 [ 0, %L12 ], [ %v121, %L13 ]
  %v104 = phi <8 x float> [ %v101, %L12 ], [ %v114, %L13 ]
  %v105 = fmul <8 x float> splat (float 0x3FECCCCCC0000000), %v104
  %v106 = mul i64 %v14, %v103
  %v107 = add i64 %v12, %v106
  %v108 = mul i64 %v16, %v24
  %v109 = add i64 %v107, %v108
  %v110 = add i64 %v109, %v93
  %v111 = getelementptr float, ptr %b1, i64 %v110
  %v112 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v111, i32 1, <8 x i1> %v98, <8 x float> zeroinitializer)
  %v113 = fmul <8 x float> splat (float 0x3FB99999A0000000), %v112
  %v114 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3FECCCCCC0000000), <8 x float> %v104, <8 x float> %v113)
  %v115 = mul i64 %v20, %v103
  %v116 = add i64 %v18, %v115
  %v117 = mul i64 %v22, %v24
  %v118 = add i64 %v116, %v117
  %v119 = add i64 %v118, %v93
  %v120 = getelementptr float, ptr %b2, i64 %v119
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v114, ptr %v120, i32 1, <8 x i1> %v98)
  %v121 = add i64 %v103, 1
  %v122 = icmp slt i64 %v121, %v6
  br i1 %v122, label %L13, label %L14
L14:
  %v123 = phi <8 x float> [ %v101, %L10 ], [ %v114, %L13 ]
  %v124 = add i64 %v10, %v93
  %v125 = getelementptr float, ptr %b0, i64 %v124
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v123, ptr %v125, i32 1, <8 x i1> %v98)
  %v126 = add i64 %v93, 8
  %v127 = icmp slt i64 %v126, %v8
  br i1 %v127, label %L10, label %L11
L11:
  %v128 = add i64 %v24, 1
  %v129 = icmp slt i64 %v128, %v4
  br i1 %v129, label %L1, label %L2
L2:
  ret void
}

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

attributes #0 = { nounwind "target-cpu"="haswell" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2" "prefer-vector-width"="256" "min-legal-vector-width"="256" }
!0 = !{i32 1}
!1 = !{}
