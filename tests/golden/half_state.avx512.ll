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
  %v24 = phi i64 [ 0, %L0 ], [ %v201, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 48
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v142, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr i16, ptr %b0, i64 %v30
  %v32 = load <16 x i16>, ptr %v31, align 1
  %v33 = getelementptr i16, ptr %v31, i64 16
  %v34 = load <16 x i16>, ptr %v33, align 1
  %v35 = getelementptr i16, ptr %v31, i64 32
  %v36 = load <16 x i16>, ptr %v35, align 1
  %v37 = bitcast <16 x i16> %v32 to <16 x half>
  %v38 = fpext <16 x half> %v37 to <16 x float>
  %v39 = bitcast <16 x i16> %v34 to <16 x half>
  %v40 = fpext <16 x half> %v39 to <16 x float>
  %v41 = bitcast <16 x i16> %v36 to <16 x half>
  %v42 = fpext <16 x half> %v41 to <16 x float>
  %v43 = icmp slt i64 0, %v6
  br i1 %v43, label %L6, label %L8
L6:
  br label %L7
L7:
  %v44 = phi i64 [ 0, %L6 ], [ %v127, %L7 ]
  %v45 = phi <16 x float> [ %v38, %L6 ], [ %v93, %L7 ]
  %v46 = phi <16 x float> [ %v40, %L6 ], [ %v95, %L7 ]
  %v47 = phi <16 x float> [ %v42, %L6 ], [ %v97, %L7 ]
  %v48 = mul i64 %v14, %v44
  %v49 = add i64 %v12, %v48
  %v50 = mul i64 %v16, %v24
  %v51 = add i64 %v49, %v50
  %v52 = add i64 %v51, %v29
  %v53 = getelementptr i16, ptr %b1, i64 %v52
  %v54 = load <16 x i16>, ptr %v53, align 1, !invariant.load !1
  %v55 = getelementptr i16, ptr %v53, i64 16
  %v56 = load <16 x i16>, ptr %v55, align 1, !invariant.load !1
  %v57 = getelementptr i16, ptr %v53, i64 32
  %v58 = load <16 x i16>, ptr %v57, align 1, !invariant.load !1
  %v59 = bitcast <16 x i16> %v54 to <16 x half>
  %v60 = fpext <16 x half> %v59 to <16 x float>
  %v61 = bitcast <16 x i16> %v56 to <16 x half>
  %v62 = fpext <16 x half> %v61 to <16 x float>
  %v63 = bitcast <16 x i16> %v58 to <16 x half>
  %v64 = fpext <16 x half> %v63 to <16 x float>
  %v65 = fmul <16 x float> %v45, %v60
  %v66 = fmul <16 x float> %v46, %v62
  %v67 = fmul <16 x float> %v47, %v64
  %v68 = fptrunc <16 x float> %v65 to <16 x half>
  %v69 = bitcast <16 x half> %v68 to <16 x i16>
  %v70 = fptrunc <16 x float> %v66 to <16 x half>
  %v71 = bitcast <16 x half> %v70 to <16 x i16>
  %v72 = fptrunc <16 x float> %v67 to <16 x half>
  %v73 = bitcast <16 x half> %v72 to <16 x i16>
  %v74 = bitcast <16 x i16> %v69 to <16 x half>
  %v75 = fpext <16 x half> %v74 to <16 x float>
  %v76 = bitcast <16 x i16> %v71 to <16 x half>
  %v77 = fpext <16 x half> %v76 to <16 x float>
  %v78 = bitcast <16 x i16> %v73 to <16 x half>
  %v79 = fpext <16 x half> %v78 to <16 x float>
  %v80 = fcmp olt <16 x float> %v75, splat (float 0x0000000000000000)
  %v81 = fcmp olt <16 x float> %v77, splat (float 0x0000000000000000)
  %v82 = fcmp olt <16 x float> %v79, splat (float 0x0000000000000000)
  %v83 = select <16 x i1> %v80, <16 x float> splat (float 0x0000000000000000), <16 x float> %v75
  %v84 = select <16 x i1> %v81, <16 x float> splat (float 0x0000000000000000), <16 x float> %v77
  %v85 = select <16 x i1> %v82, <16 x float> splat (float 0x0000000000000000), <16 x float> %v79
  %v86 = fptrunc <16 x float> %v83 to <16 x half>
  %v87 = bitcast <16 x half> %v86 to <16 x i16>
  %v88 = fptrunc <16 x float> %v84 to <16 x half>
  %v89 = bitcast <16 x half> %v88 to <16 x i16>
  %v90 = fptrunc <16 x float> %v85 to <16 x half>
  %v91 = bitcast <16 x half> %v90 to <16 x i16>
  %v92 = bitcast <16 x i16> %v87 to <16 x half>
  %v93 = fpext <16 x half> %v92 to <16 x float>
  %v94 = bitcast <16 x i16> %v89 to <16 x half>
  %v95 = fpext <16 x half> %v94 to <16 x float>
  %v96 = bitcast <16 x i16> %v91 to <16 x half>
  %v97 = fpext <16 x half> %v96 to <16 x float>
  %v98 = fsub <16 x float> %v93, %v60
  %v99 = fsub <16 x float> %v95, %v62
  %v100 = fsub <16 x float> %v97, %v64
  %v101 = fptrunc <16 x float> %v98 to <16 x half>
  %v102 = bitcast <16 x half> %v101 to <16 x i16>
  %v103 = fptrunc <16 x float> %v99 to <16 x half>
  %v104 = bitcast <16 x half> %v103 to <16 x i16>
  %v105 = fptrunc <16 x float> %v100 to <16 x half>
  %v106 = bitcast <16 x half> %v105 to <16 x i16>
  %v107 = bitcast <16 x i16> %v102 to <16 x half>
  %v108 = fpext <16 x half> %v107 to <16 x float>
  %v109 = bitcast <16 x i16> %v104 to <16 x half>
  %v110 = fpext <16 x half> %v109 to <16 x float>
  %v111 = bitcast <16 x i16> %v106 to <16 x half>
  %v112 = fpext <16 x half> %v111 to <16 x float>
  %v113 = fptrunc <16 x float> %v108 to <16 x half>
  %v114 = bitcast <16 x half> %v113 to <16 x i16>
  %v115 = fptrunc <16 x float> %v110 to <16 x half>
  %v116 = bitcast <16 x half> %v115 to <16 x i16>
  %v117 = fptrunc <16 x float> %v112 to <16 x half>
  %v118 = bitcast <16 x half> %v117 to <16 x i16>
  %v119 = mul i64 %v20, %v44
  %v120 = add i64 %v18, %v119
  %v121 = mul i64 %v22, %v24
  %v122 = add i64 %v120, %v121
  %v123 = add i64 %v122, %v29
  %v124 = getelementptr i16, ptr %b2, i64 %v123
  store <16 x i16> %v114, ptr %v124, align 1
  %v125 = getelementptr i16, ptr %v124, i64 16
  store <16 x i16> %v116, ptr %v125, align 1
  %v126 = getelementptr i16, ptr %v124, i64 32
  store <16 x i16> %v118, ptr %v126, align 1
  %v127 = add i64 %v44, 1
  %v128 = icmp slt i64 %v127, %v6
  br i1 %v128, label %L7, label %L8
L8:
  %v129 = phi <16 x float> [ %v38, %L4 ], [ %v93, %L7 ]
  %v130 = phi <16 x float> [ %v40, %L4 ], [ %v95, %L7 ]
  %v131 = phi <16 x float> [ %v42, %L4 ], [ %v97, %L7 ]
  %v132 = fptrunc <16 x float> %v129 to <16 x half>
  %v133 = bitcast <16 x half> %v132 to <16 x i16>
  %v134 = fptrunc <16 x float> %v130 to <16 x half>
  %v135 = bitcast <16 x half> %v134 to <16 x i16>
  %v136 = fptrunc <16 x float> %v131 to <16 x half>
  %v137 = bitcast <16 x half> %v136 to <16 x i16>
  %v138 = add i64 %v10, %v29
  %v139 = getelementptr i16, ptr %b0, i64 %v138
  store <16 x i16> %v133, ptr %v139, align 1
  %v140 = getelementptr i16, ptr %v139, i64 16
  store <16 x i16> %v135, ptr %v140, align 1
  %v141 = getelementptr i16, ptr %v139, i64 32
  store <16 x i16> %v137, ptr %v141, align 1
  %v142 = add i64 %v29, 48
  %v143 = icmp slt i64 %v142, %v27
  br i1 %v143, label %L4, label %L5
L5:
  %v144 = icmp slt i64 %v27, %v8
  br i1 %v144, label %L9, label %L11
L9:
  br label %L10
L10:
  %v145 = phi i64 [ %v27, %L9 ], [ %v199, %L14 ]
  %v146 = sub i64 %v8, %v145
  %v147 = trunc i64 %v146 to i32
  %v148 = insertelement <16 x i32> poison, i32 %v147, i64 0
  %v149 = shufflevector <16 x i32> %v148, <16 x i32> poison, <16 x i32> zeroinitializer
  %v150 = icmp ult <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v149
  %v151 = add i64 %v10, %v145
  %v152 = getelementptr i16, ptr %b0, i64 %v151
  %v153 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %v152, i32 1, <16 x i1> %v150, <16 x i16> zeroinitializer)
  %v154 = bitcast <16 x i16> %v153 to <16 x half>
  %v155 = fpext <16 x half> %v154 to <16 x float>
  %v156 = icmp slt i64 0, %v6
  br i1 %v156, label %L12, label %L14
L12:
  br label %L13
L13:
  %v157 = phi i64 [ 0, %L12 ], [ %v192, %L13 ]
  %v158 = phi <16 x float> [ %v155, %L12 ], [ %v178, %L13 ]
  %v159 = mul i64 %v14, %v157
  %v160 = add i64 %v12, %v159
  %v161 = mul i64 %v16, %v24
  %v162 = add i64 %v160, %v161
  %v163 = add i64 %v162, %v145
  %v164 = getelementptr i16, ptr %b1, i64 %v163
  %v165 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %v164, i32 1, <16 x i1> %v150, <16 x i16> zeroinitializer)
  %v166 = bitcast <16 x i16> %v165 to <16 x half>
  %v167 = fpext <16 x half> %v166 to <16 x float>
  %v168 = fmul <16 x float> %v158, %v167
  %v169 = fptrunc <16 x float> %v168 to <16 x half>
  %v170 = bitcast <16 x half> %v169 to <16 x i16>
  %v171 = bitcast <16 x i16> %v170 to <16 x half>
  %v172 = fpext <16 x half> %v171 to <16 x float>
  %v173 = fcmp olt <16 x float> %v172, splat (float 0x0000000000000000)
  %v174 = select <16 x i1> %v173, <16 x float> splat (float 0x0000000000000000), <16 x float> %v172
  %v175 = fptrunc <16 x float> %v174 to <16 x half>
  %v176 = bitcast <16 x half> %v175 to <16 x i16>
  %v177 = bitcast <16 x i16> %v176 to <16 x half>
  %v178 = fpext <16 x half> %v177 to <16 x float>
  %v179 = fsub <16 x float> %v178, %v167
  %v180 = fptrunc <16 x float> %v179 to <16 x half>
  %v181 = bitcast <16 x half> %v180 to <16 x i16>
  %v182 = bitcast <16 x i16> %v181 to <16 x half>
  %v183 = fpext <16 x half> %v182 to <16 x float>
  %v184 = fptrunc <16 x float> %v183 to <16 x half>
  %v185 = bitcast <16 x half> %v184 to <16 x i16>
  %v186 = mul i64 %v20, %v157
  %v187 = add i64 %v18, %v186
  %v188 = mul i64 %v22, %v24
  %v189 = add i64 %v187, %v188
  %v190 = add i64 %v189, %v145
  %v191 = getelementptr i16, ptr %b2, i64 %v190
  call void @llvm.masked.store.v16i16.p0(<16 x i16> %v185, ptr %v191, i32 1, <16 x i1> %v150)
  %v192 = add i64 %v157, 1
  %v193 = icmp slt i64 %v192, %v6
  br i1 %v193, label %L13, label %L14
L14:
  %v194 = phi <16 x float> [ %v155, %L10 ], [ %v178, %L13 ]
  %v195 = fptrunc <16 x float> %v194 to <16 x half>
  %v196 = bitcast <16 x half> %v195 to <16 x i16>
  %v197 = add i64 %v10, %v145
  %v198 = getelementptr i16, ptr %b0, i64 %v197
  call void @llvm.masked.store.v16i16.p0(<16 x i16> %v196, ptr %v198, i32 1, <16 x i1> %v150)
  %v199 = add i64 %v145, 16
  %v200 = icmp slt i64 %v199, %v8
  br i1 %v200, label %L10, label %L11
L11:
  %v201 = add i64 %v24, 1
  %v202 = icmp slt i64 %v201, %v4
  br i1 %v202, label %L1, label %L2
L2:
  ret void
}

declare <16 x i16> @llvm.masked.load.v16i16.p0(ptr, i32, <16 x i1>, <16 x i16>)
declare void @llvm.masked.store.v16i16.p0(<16 x i16>, ptr, i32, <16 x i1>)

attributes #0 = { nounwind "target-cpu"="skylake-avx512" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,-prefer-256-bit" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
!0 = !{i32 1}
!1 = !{}
