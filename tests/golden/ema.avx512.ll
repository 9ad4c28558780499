target triple = "x86_64-unknown-linux-gnu"

define void @pawl_fused_loop(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {
entry:
  %v0 = getelementptr ptr, ptr %buffers, i64 0
  %b0 = load ptr, ptr %v0, align 8
  %v1 = getelementptr ptr, ptr %buffers, i64 1
  %b1 = load ptr, ptr %v1, align 8
  %v2 = getelementptr ptr, ptr %buffers, i64 2
  %b2 = load ptr, ptr %v2, align 8
  %v3 = getelementptr ptr, ptr %buffers, i64 3
  %b3 = load ptr, ptr %v3, align 8
  %v4 = getelementptr ptr, ptr %buffers, i64 4
  %b4 = load ptr, ptr %v4, align 8
  %v5 = getelementptr i64, ptr %params, i64 0
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %params, i64 1
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %params, i64 2
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %params, i64 3
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %params, i64 4
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %params, i64 5
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %params, i64 6
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %params, i64 7
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %params, i64 8
  %v22 = load i64, ptr %v21, align 8
  %v23 = getelementptr i64, ptr %params, i64 9
  %v24 = load i64, ptr %v23, align 8
  %v25 = getelementptr i64, ptr %params, i64 10
  %v26 = load i64, ptr %v25, align 8
  %v27 = getelementptr i64, ptr %params, i64 11
  %v28 = load i64, ptr %v27, align 8
  %v29 = icmp slt i64 0, %v6
  br i1 %v29, label %L0, label %L2
L0:
  br label %L1
L1:
  %v30 = phi i64 [ 0, %L0 ], [ %v172, %L11 ]
  %v31 = sub i64 %v10, 0
  %v32 = srem i64 %v31, 64
  %v33 = sub i64 %v10, %v32
  %v34 = icmp slt i64 0, %v33
  br i1 %v34, label %L3, label %L5
L3:
  br label %L4
L4:
  %v35 = phi i64 [ 0, %L3 ], [ %v124, %L8 ]
  %v36 = add i64 %v12, %v35
  %v37 = getelementptr float, ptr %b0, i64 %v36
  %v38 = load <16 x float>, ptr %v37, align 1
  %v39 = getelementptr float, ptr %v37, i64 16
  %v40 = load <16 x float>, ptr %v39, align 1
  %v41 = getelementptr float, ptr %v37, i64 32
  %v42 = load <16 x float>, ptr %v41, align 1
  %v43 = getelementptr float, ptr %v37, i64 48
  %v44 = load <16 x float>, ptr %v43, align 1
  %v45 = icmp slt i64 0, %v8
  br i1 %v45, label %L6, label %L8
L6:
  %v46 = getelementptr float, ptr %b1, i64 %v14
  %v47 = load float, ptr %v46, align 1, !invariant.load !1
  %v48 = getelementptr float, ptr %b2, i64 %v16
  %v49 = load float, ptr %v48, align 1, !invariant.load !1
  br label %L7
L7:
  %v50 = phi i64 [ 0, %L6 ], [ %v113, %L7 ]
  %v51 = phi <16 x float> [ %v38, %L6 ], [ %v94, %L7 ]
  %v52 = phi <16 x float> [ %v40, %L6 ], [ %v97, %L7 ]
  %v53 = phi <16 x float> [ %v42, %L6 ], [ %v100, %L7 ]
  %v54 = phi <16 x float> [ %v44, %L6 ], [ %v103, %L7 ]
  %v55 = insertelement <16 x float> poison, float %v47, i64 0
  %v56 = shufflevector <16 x float> %v55, <16 x float> poison, <16 x i32> zeroinitializer
  %v57 = fmul <16 x float> %v56, %v51
  %v58 = insertelement <16 x float> poison, float %v47, i64 0
  %v59 = shufflevector <16 x float> %v58, <16 x float> poison, <16 x i32> zeroinitializer
  %v60 = fmul <16 x float> %v59, %v52
  %v61 = insertelement <16 x float> poison, float %v47, i64 0
  %v62 = shufflevector <16 x float> %v61, <16 x float> poison, <16 x i32> zeroinitializer
  %v63 = fmul <16 x float> %v62, %v53
  %v64 = insertelement <16 x float> poison, float %v47, i64 0
  %v65 = shufflevector <16 x float> %v64, <16 x float> poison, <16 x i32> zeroinitializer
  %v66 = fmul <16 x float> %v65, %v54
  %v67 = mul i64 %v20, %v50
  %v68 = add i64 %v18, %v67
  %v69 = mul i64 %v22, %v30
  %v70 = add i64 %v68, %v69
  %v71 = add i64 %v70, %v35
  %v72 = getelementptr float, ptr %b3, i64 %v71
  %v73 = load <16 x float>, ptr %v72, align 1, !invariant.load !1
  %v74 = getelementptr float, ptr %v72, i64 16
  %v75 = load <16 x float>, ptr %v74, align 1, !invariant.load !1
  %v76 = getelementptr float, ptr %v72, i64 32
  %v77 = load <16 x float>, ptr %v76, align 1, !invariant.load !1
  %v78 = getelementptr float, ptr %v72, i64 48
  %v79 = load <16 x float>, ptr %v78, align 1, !invariant.load !1
  %v80 = insertelement <16 x float> poison, float %v49, i64 0
  %v81 = shufflevector <16 x float> %v80, <16 x float> poison, <16 x i32> zeroinitializer
  %v82 = fmul <16 x float> %v81, %v73
  %v83 = insertelement <16 x float> poison, float %v49, i64 0
  %v84 = shufflevector <16 x float> %v83, <16 x float> poison, <16 x i32> zeroinitializer
  %v85 = fmul <16 x float> %v84, %v75
  %v86 = insertelement <16 x float> poison, float %v49, i64 0
  %v87 = shufflevector <16 x float> %v86, <16 x float> poison, <16 x i32> zeroinitializer
  %v88 = fmul <16 x float> %v87, %v77
  %v89 = insertelement <16 x float> poison, float %v49, i64 0
  %v90 = shufflevector <16 x float> %v89, <16 x float> poison, <16 x i32> zeroinitializer
  %v91 = fmul <16 x float> %v90, %v79
  %v92 = insertelement <16 x float> poison, float %v47, i64 0
  %v93 = shufflevector <16 x float> %v92, <16 x float> poison, <16 x i32> zeroinitializer
  %v94 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v93, <16 x float> %v51, <16 x float> %v82)
  %v95 = insertelement <16 x float> poison, float %v47, i64 0
  %v96 = shufflevector <16 x float> %v95, <16 x float> poison, <16 x i32> zeroinitializer
  %v97 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v96, <16 x float> %v52, <16 x float> %v85)
  %v98 = insertelement <16 x float> poison, float %v47, i64 0
  %v99 = shufflevector <16 x float> %v98, <16 x float> poison, <16 x i32> zeroinitializer
  %v100 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v99, <16 x float> %v53, <16 x float> %v88)
  %v101 = insertelement <16 x float> poison, float %v47, i64 0
  %v102 = shufflevector <16 x float> %v101, <16 x float> poison, <16 x i32> zeroinitializer
  %v103 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v102, <16 x float> %v54, <16 x float> %v91)
  %v104 = mul i64 %v26, %v50
  %v105 = add i64 %v24, %v104
  %v106 = mul i64 %v28, %v30
  %v107 = add i64 %v105, %v106
  %v108 = add i64 %v107, %v35
  %v109 = getelementptr float, ptr %b4, i64 %v108
  store <16 x float> %v94, ptr %v109, align 1
  %v110 = getelementptr float, ptr %v109, i64 16
  store <16 x float> %v97, ptr %v110, align 1
  %v111 = getelementptr float, ptr %v109, i64 32
  store <16 x float> %v100, ptr %v111, align 1
  %v112 = getelementptr float, ptr %v109, i64 48
  store <16 x float> %v103, ptr %v112, align 1
  %v113 = add i64 %v50, 1
  %v114 = icmp slt i64 %v113, %v8
  br i1 %v114, label %L7, label %L8
L8:
  %v115 = phi <16 x float> [ %v38, %L4 ], [ %v94, %L7 ]
  %v116 = phi <16 x float> [ %v40, %L4 ], [ %v97, %L7 ]
  %v117 = phi <16 x float> [ %v42, %L4 ], [ %v100, %L7 ]
  %v118 = phi <16 x float> [ %v44, %L4 ], [ %v103, %L7 ]
  %v119 = add i64 %v12, %v35
  %v120 = getelementptr float, ptr %b0, i64 %v119
  store <16 x float> %v115, ptr %v120, align 1
  %v121 = getelementptr float, ptr %v120, i64 16
  store <16 x float> %v116, ptr %v121, align 1
  %v122 = getelementptr float, ptr %v120, i64 32
  store <16 x float> %v117, ptr %v122, align 1
  %v123 = getelementptr float, ptr %v120, i64 48
  store <16 x float> %v118, ptr %v123, align 1
  %v124 = add i64 %v35, 64
  %v125 = icmp slt i64 %v124, %v33
  br i1 %v125, label %L4, label %L5
L5:
  %v126 = icmp slt i64 %v33, %v10
  br i1 %v126, label %L9, label %L11
L9:
  br label %L10
L10:
  %v127 = phi i64 [ %v33, %L9 ], [ %v170, %L14 ]
  %v128 = sub i64 %v10, %v127
  %v129 = trunc i64 %v128 to i32
  %v130 = insertelement <16 x i32> poison, i32 %v129, i64 0
  %v131 = shufflevector <16 x i32> %v130, <16 x i32> poison, <16 x i32> zeroinitializer
  %v132 = icmp ult <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v131
  %v133 = add i64 %v12, %v127
  %v134 = getelementptr float, ptr %b0, i64 %v133
  %v135 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v134, i32 1, <16 x i1> %v132, <16 x float> zeroinitializer)
  %v136 = icmp slt i64 0, %v8
  br i1 %v136, label %L12, label %L14
L12:
  %v137 = getelementptr float, ptr %b1, i64 %v14
  %v138 = load float, ptr %v137, align 1, !invariant.load !1
  %v139 = getelementptr float, ptr %b2, i64 %v16
  %v140 = load float, ptr %v139, align 1, !invariant.load !1
  br label %L13
L13:
  %v141 = phi i64 [ 0, %L12 ], [ %v165, %L13 ]
  %v142 = phi <16 x float> [ %v135, %L12 ], [ %v158, %L13 ]
  %v143 = insertelement <16 x float> poison, float %v138, i64 0
  %v144 = shufflevector <16 x float> %v143, <16 x float> poison, <16 x i32> zeroinitializer
  %v145 = fmul <16 x float> %v144, %v142
  %v146 = mul i64 %v20, %v141
  %v147 = add i64 %v18, %v146
  %v148 = mul i64 %v22, %v30
  %v149 = add i64 %v147, %v148
  %v150 = add i64 %v149, %v127
  %v151 = getelementptr float, ptr %b3, i64 %v150
  %v152 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v151, i32 1, <16 x i1> %v132, <16 x float> zeroinitializer)
  %v153 = insertelement <16 x float> poison, float %v140, i64 0
  %v154 = shufflevector <16 x float> %v153, <16 x float> poison, <16 x i32> zeroinitializer
  %v155 = fmul <16 x float> %v154, %v152
  %v156 = insertelement <16 x float> poison, float %v138, i64 0
  %v157 = shufflevector <16 x float> %v156, <16 x float> poison, <16 x i32> zeroinitializer
  %v158 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v157, <16 x float> %v142, <16 x float> %v155)
  %v159 = mul i64 %v26, %v141
  %v160 = add i64 %v24, %v159
  %v161 = mul i64 %v28, %v30
  %v162 = add i64 %v160, %v161
  %v163 = add i64 %v162, %v127
  %v164 = getelementptr float, ptr %b4, i64 %v163
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v158, ptr %v164, i32 1, <16 x i1> %v132)
  %v165 = add i64 %v141, 1
  %v166 = icmp slt i64 %v165, %v8
  br i1 %v166, label %L13, label %L14
L14:
  %v167 = phi <16 x float> [ %v135, %L10 ], [ %v158, %L13 ]
  %v168 = add i64 %v12, %v127
  %v169 = getelementptr float, ptr %b0, i64 %v168
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v167, ptr %v169, i32 1, <16 x i1> %v132)
  %v170 = add i64 %v127, 16
  %v171 = icmp slt i64 %v170, %v10
  br i1 %v171, label %L10, label %L11
L11:
  %v172 = add i64 %v30, 1
  %v173 = icmp slt i64 %v172, %v6
  br i1 %v173, label %L1, label %L2
L2:
  ret void
}

declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)

attributes #0 = { nounwind "target-cpu"="skylake-avx512" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,-prefer-256-bit" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
!0 = !{i32 1}
!1 = !{}
