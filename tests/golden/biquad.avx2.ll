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
  %v5 = getelementptr ptr, ptr %buffers, i64 5
  %b5 = load ptr, ptr %v5, align 8
  %v6 = getelementptr ptr, ptr %buffers, i64 6
  %b6 = load ptr, ptr %v6, align 8
  %v7 = getelementptr ptr, ptr %buffers, i64 7
  %b7 = load ptr, ptr %v7, align 8
  %v8 = getelementptr ptr, ptr %buffers, i64 8
  %b8 = load ptr, ptr %v8, align 8
  %v9 = getelementptr i64, ptr %params, i64 0
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %params, i64 1
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %params, i64 2
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %params, i64 3
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %params, i64 4
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %params, i64 5
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %params, i64 6
  %v22 = load i64, ptr %v21, align 8
  %v23 = getelementptr i64, ptr %params, i64 7
  %v24 = load i64, ptr %v23, align 8
  %v25 = getelementptr i64, ptr %params, i64 8
  %v26 = load i64, ptr %v25, align 8
  %v27 = getelementptr i64, ptr %params, i64 9
  %v28 = load i64, ptr %v27, align 8
  %v29 = getelementptr i64, ptr %params, i64 10
  %v30 = load i64, ptr %v29, align 8
  %v31 = getelementptr i64, ptr %params, i64 11
  %v32 = load i64, ptr %v31, align 8
  %v33 = getelementptr i64, ptr %params, i64 12
  %v34 = load i64, ptr %v33, align 8
  %v35 = getelementptr i64, ptr %params, i64 13
  %v36 = load i64, ptr %v35, align 8
  %v37 = getelementptr i64, ptr %params, i64 14
  %v38 = load i64, ptr %v37, align 8
  %v39 = getelementptr i64, ptr %params, i64 15
  %v40 = load i64, ptr %v39, align 8
  %v41 = icmp slt i64 0, %v10
  br i1 %v41, label %L0, label %L2
L0:
  br label %L1
L1:
  %v42 = phi i64 [ 0, %L0 ], [ %v173, %L11 ]
  %v43 = sub i64 %v14, 0
  %v44 = srem i64 %v43, 8
  %v45 = sub i64 %v14, %v44
  %v46 = icmp slt i64 0, %v45
  br i1 %v46, label %L3, label %L5
L3:
  br label %L4
L4:
  %v47 = phi i64 [ 0, %L3 ], [ %v105, %L8 ]
  %v48 = add i64 %v16, %v47
  %v49 = getelementptr float, ptr %b0, i64 %v48
  %v50 = load <8 x float>, ptr %v49, align 1
  %v51 = add i64 %v18, %v47
  %v52 = getelementptr float, ptr %b1, i64 %v51
  %v53 = load <8 x float>, ptr %v52, align 1
  %v54 = icmp slt i64 0, %v12
  br i1 %v54, label %L6, label %L8
L6:
  %v55 = add i64 %v20, %v47
  %v56 = getelementptr float, ptr %b2, i64 %v55
  %v57 = load <8 x float>, ptr %v56, align 1, !invariant.load !1
  %v58 = add i64 %v28, %v47
  %v59 = getelementptr float, ptr %b4, i64 %v58
  %v60 = load <8 x float>, ptr %v59, align 1, !invariant.load !1
  %v61 = add i64 %v30, %v47
  %v62 = getelementptr float, ptr %b5, i64 %v61
  %v63 = load <8 x float>, ptr %v62, align 1, !invariant.load !1
  %v64 = add i64 %v32, %v47
  %v65 = getelementptr float, ptr %b6, i64 %v64
  %v66 = load <8 x float>, ptr %v65, align 1, !invariant.load !1
  %v67 = add i64 %v34, %v47
  %v68 = getelementptr float, ptr %b7, i64 %v67
  %v69 = load <8 x float>, ptr %v68, align 1, !invariant.load !1
  br label %L7
L7:
  %v70 = phi i64 [ 0, %L6 ], [ %v97, %L7 ]
  %v71 = phi <8 x float> [ %v50, %L6 ], [ %v86, %L7 ]
  %v72 = phi <8 x float> [ %v53, %L6 ], [ %v90, %L7 ]
  %v73 = mul i64 %v24, %v70
  %v74 = add i64 %v22, %v73
  %v75 = mul i64 %v26, %v42
  %v76 = add i64 %v74, %v75
  %v77 = add i64 %v76, %v47
  %v78 = getelementptr float, ptr %b3, i64 %v77
  %v79 = load <8 x float>, ptr %v78, align 1, !invariant.load !1
  %v80 = fmul <8 x float> %v57, %v79
  %v81 = fmul <8 x float> %v63, %v79
  %v82 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v63, <8 x float> %v79, <8 x float> %v71)
  %v83 = fmul <8 x float> %v60, %v82
  %v84 = fneg <8 x float> %v60
  %v85 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v84, <8 x float> %v82, <8 x float> %v80)
  %v86 = fadd <8 x float> %v85, %v72
  %v87 = fmul <8 x float> %v66, %v79
  %v88 = fmul <8 x float> %v69, %v82
  %v89 = fneg <8 x float> %v69
  %v90 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v89, <8 x float> %v82, <8 x float> %v87)
  %v91 = mul i64 %v38, %v70
  %v92 = add i64 %v36, %v91
  %v93 = mul i64 %v40, %v42
  %v94 = add i64 %v92, %v93
  %v95 = add i64 %v94, %v47
  %v96 = getelementptr float, ptr %b8, i64 %v95
  store <8 x float> %v82, ptr %v96, align 1
  %v97 = add i64 %v70, 1
  %v98 = icmp slt i64 %v97, %v12
  br i1 %v98, label %L7, label %L8
L8:
  %v99 = phi <8 x float> [ %v50, %L4 ], [ %v86, %L7 ]
  %v100 = phi <8 x float> [ %v53, %L4 ], [ %v90, %L7 ]
  %v101 = add i64 %v16, %v47
  %v102 = getelementptr float, ptr %b0, i64 %v101
  store <8 x float> %v99, ptr %v102, align 1
  %v103 = add i64 %v18, %v47
  %v104 = getelementptr float, ptr %b1, i64 %v103
  store <8 x float> %v100, ptr %v104, align 1
  %v105 = add i64 %v47, 8
  %v106 = icmp slt i64 %v105, %v45
  br i1 %v106, label %L4, label %L5
L5:
  %v107 = icmp slt i64 %v45, %v14
  br i1 %v107, label %L9, label %L11
L9:
  br label %L10
L10:
  %v108 = phi i64 [ %v45, %L9 ], [ %v171, %L14 ]
  %v109 = sub i64 %v14, %v108
  %v110 = trunc i64 %v109 to i32
  %v111 = insertelement <8 x i32> poison, i32 %v110, i64 0
  %v112 = shufflevector <8 x i32> %v111, <8 x i32> poison, <8 x i32> zeroinitializer
  %v113 = icmp ult <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %v112
  %v114 = add i64 %v16, %v108
  %v115 = getelementptr float, ptr %b0, i64 %v114
  %v116 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v115, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  %v117 = add i64 %v18, %v108
  %v118 = getelementptr float, ptr %b1, i64 %v117
  %v119 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v118, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  %v120 = icmp slt i64 0, %v12
  br i1 %v120, label %L12, label %L14
L12:
  %v121 = add i64 %v20, %v108
  %v122 = getelementptr float, ptr %b2, i64 %v121
  %v123 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v122, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  %v124 = add i64 %v28, %v108
  %v125 = getelementptr float, ptr %b4, i64 %v124
  %v126 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v125, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  %v127 = add i64 %v30, %v108
  %v128 = getelementptr float, ptr %b5, i64 %v127
  %v129 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v128, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  %v130 = add i64 %v32, %v108
  %v131 = getelementptr float, ptr %b6, i64 %v130
  %v132 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v131, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  %v133 = add i64 %v34, %v108
  %v134 = getelementptr float, ptr %b7, i64 %v133
  %v135 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v134, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  br label %L13
L13:
  %v136 = phi i64 [ 0, %L12 ], [ %v163, %L13 ]
  %v137 = phi <8 x float> [ %v116, %L12 ], [ %v152, %L13 ]
  %v138 = phi <8 x float> [ %v119, %L12 ], [ %v156, %L13 ]
  %v139 = mul i64 %v24, %v136
  %v140 = add i64 %v22, %v139
  %v141 = mul i64 %v26, %v42
  %v142 = add i64 %v140, %v141
  %v143 = add i64 %v142, %v108
  %v144 = getelementptr float, ptr %b3, i64 %v143
  %v145 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v144, i32 1, <8 x i1> %v113, <8 x float> zeroinitializer)
  %v146 = fmul <8 x float> %v123, %v145
  %v147 = fmul <8 x float> %v129, %v145
  %v148 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v129, <8 x float> %v145, <8 x float> %v137)
  %v149 = fmul <8 x float> %v126, %v148
  %v150 = fneg <8 x float> %v126
  %v151 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v150, <8 x float> %v148, <8 x float> %v146)
  %v152 = fadd <8 x float> %v151, %v138
  %v153 = fmul <8 x float> %v132, %v145
  %v154 = fmul <8 x float> %v135, %v148
  %v155 = fneg <8 x float> %v135
  %v156 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v155, <8 x float> %v148, <8 x float> %v153)
  %v157 = mul i64 %v38, %v136
  %v158 = add i64 %v36, %v157
  %v159 = mul i64 %v40, %v42
  %v160 = add i64 %v158, %v159
  %v161 = add i64 %v160, %v108
  %v162 = getelementptr float, ptr %b8, i64 %v161
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v148, ptr %v162, i32 1, <8 x i1> %v113)
  %v163 = add i64 %v136, 1
  %v164 = icmp slt i64 %v163, %v12
  br i1 %v164, label %L13, label %L14
L14:
  %v165 = phi <8 x float> [ %v116, %L10 ], [ %v152, %L13 ]
  %v166 = phi <8 x float> [ %v119, %L10 ], [ %v156, %L13 ]
  %v167 = add i64 %v16, %v108
  %v168 = getelementptr float, ptr %b0, i64 %v167
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v165, ptr %v168, i32 1, <8 x i1> %v113)
  %v169 = add i64 %v18, %v108
  %v170 = getelementptr float, ptr %b1, i64 %v169
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v166, ptr %v170, i32 1, <8 x i1> %v113)
  %v171 = add i64 %v108, 8
  %v172 = icmp slt i64 %v171, %v14
  br i1 %v172, label %L10, label %L11
L11:
  %v173 = add i64 %v42, 1
  %v174 = icmp slt i64 %v173, %v10
  br i1 %v174, label %L1, label %L2
L2:
  ret void
}

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

attributes #0 = { nounwind "target-cpu"="haswell" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2" "prefer-vector-width"="256" "min-legal-vector-width"="256" }
!0 = !{i32 1}
!1 = !{}
