target triple = "aarch64-unknown-linux-gnu"

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
  %v24 = phi i64 [ 0, %L0 ], [ %v272, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 12
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v199, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr i16, ptr %b0, i64 %v30
  %v32 = load <4 x i16>, ptr %v31, align 1
  %v33 = getelementptr i16, ptr %v31, i64 4
  %v34 = load <4 x i16>, ptr %v33, align 1
  %v35 = getelementptr i16, ptr %v31, i64 8
  %v36 = load <4 x i16>, ptr %v35, align 1
  %v37 = zext <4 x i16> %v32 to <4 x i32>
  %v38 = shl <4 x i32> %v37, splat (i32 16)
  %v39 = bitcast <4 x i32> %v38 to <4 x float>
  %v40 = zext <4 x i16> %v34 to <4 x i32>
  %v41 = shl <4 x i32> %v40, splat (i32 16)
  %v42 = bitcast <4 x i32> %v41 to <4 x float>
  %v43 = zext <4 x i16> %v36 to <4 x i32>
  %v44 = shl <4 x i32> %v43, splat (i32 16)
  %v45 = bitcast <4 x i32> %v44 to <4 x float>
  %v46 = icmp slt i64 0, %v6
  br i1 %v46, label %L6, label %L8
L6:
  br label %L7
L7:
  %v47 = phi i64 [ 0, %L6 ], [ %v157, %L7 ]
  %v48 = phi <4 x float> [ %v39, %L6 ], [ %v109, %L7 ]
  %v49 = phi <4 x float> [ %v42, %L6 ], [ %v112, %L7 ]
  %v50 = phi <4 x float> [ %v45, %L6 ], [ %v115, %L7 ]
  %v51 = mul i64 %v14, %v47
  %v52 = add i64 %v12, %v51
  %v53 = mul i64 %v16, %v24
  %v54 = add i64 %v52, %v53
  %v55 = add i64 %v54, %v29
  %v56 = getelementptr i16, ptr %b1, i64 %v55
  %v57 = load <4 x i16>, ptr %v56, align 1, !invariant.load !1
  %v58 = getelementptr i16, ptr %v56, i64 4
  %v59 = load <4 x i16>, ptr %v58, align 1, !invariant.load !1
  %v60 = getelementptr i16, ptr %v56, i64 8
  %v61 = load <4 x i16>, ptr %v60, align 1, !invariant.load !1
  %v62 = zext <4 x i16> %v57 to <4 x i32>
  %v63 = shl <4 x i32> %v62, splat (i32 16)
  %v64 = bitcast <4 x i32> %v63 to <4 x float>
  %v65 = zext <4 x i16> %v59 to <4 x i32>
  %v66 = shl <4 x i32> %v65, splat (i32 16)
  %v67 = bitcast <4 x i32> %v66 to <4 x float>
  %v68 = zext <4 x i16> %v61 to <4 x i32>
  %v69 = shl <4 x i32> %v68, splat (i32 16)
  %v70 = bitcast <4 x i32> %v69 to <4 x float>
  %v71 = fadd <4 x float> %v48, %v64
  %v72 = fadd <4 x float> %v49, %v67
  %v73 = fadd <4 x float> %v50, %v70
  %v74 = bitcast <4 x float> %v71 to <4 x i32>
  %v75 = lshr <4 x i32> %v74, splat (i32 16)
  %v76 = and <4 x i32> %v75, splat (i32 1)
  %v77 = add <4 x i32> %v76, splat (i32 32767)
  %v78 = add <4 x i32> %v74, %v77
  %v79 = lshr <4 x i32> %v78, splat (i32 16)
  %v80 = lshr <4 x i32> %v74, splat (i32 16)
  %v81 = or <4 x i32> %v80, splat (i32 64)
  %v82 = fcmp uno <4 x float> %v71, %v71
  %v83 = select <4 x i1> %v82, <4 x i32> %v81, <4 x i32> %v79
  %v84 = trunc <4 x i32> %v83 to <4 x i16>
  %v85 = bitcast <4 x float> %v72 to <4 x i32>
  %v86 = lshr <4 x i32> %v85, splat (i32 16)
  %v87 = and <4 x i32> %v86, splat (i32 1)
  %v88 = add <4 x i32> %v87, splat (i32 32767)
  %v89 = add <4 x i32> %v85, %v88
  %v90 = lshr <4 x i32> %v89, splat (i32 16)
  %v91 = lshr <4 x i32> %v85, splat (i32 16)
  %v92 = or <4 x i32> %v91, splat (i32 64)
  %v93 = fcmp uno <4 x float> %v72, %v72
  %v94 = select <4 x i1> %v93, <4 x i32> %v92, <4 x i32> %v90
  %v95 = trunc <4 x i32> %v94 to <4 x i16>
  %v96 = bitcast <4 x float> %v73 to <4 x i32>
  %v97 = lshr <4 x i32> %v96, splat (i32 16)
  %v98 = and <4 x i32> %v97, splat (i32 1)
  %v99 = add <4 x i32> %v98, splat (i32 32767)
  %v100 = add <4 x i32> %v96, %v99
  %v101 = lshr <4 x i32> %v100, splat (i32 16)
  %v102 = lshr <4 x i32> %v96, splat (i32 16)
  %v103 = or <4 x i32> %v102, splat (i32 64)
  %v104 = fcmp uno <4 x float> %v73, %v73
  %v105 = select <4 x i1> %v104, <4 x i32> %v103, <4 x i32> %v101
  %v106 = trunc <4 x i32> %v105 to <4 x i16>
  %v107 = zext <4 x i16> %v84 to <4 x i32>
  %v108 = shl <4 x i32> %v107, splat (i32 16)
  %v109 = bitcast <4 x i32> %v108 to <4 x float>
  %v110 = zext <4 x i16> %v95 to <4 x i32>
  %v111 = shl <4 x i32> %v110, splat (i32 16)
  %v112 = bitcast <4 x i32> %v111 to <4 x float>
  %v113 = zext <4 x i16> %v106 to <4 x i32>
  %v114 = shl <4 x i32> %v113, splat (i32 16)
  %v115 = bitcast <4 x i32> %v114 to <4 x float>
  %v116 = bitcast <4 x float> %v109 to <4 x i32>
  %v117 = lshr <4 x i32> %v116, splat (i32 16)
  %v118 = and <4 x i32> %v117, splat (i32 1)
  %v119 = add <4 x i32> %v118, splat (i32 32767)
  %v120 = add <4 x i32> %v116, %v119
  %v121 = lshr <4 x i32> %v120, splat (i32 16)
  %v122 = lshr <4 x i32> %v116, splat (i32 16)
  %v123 = or <4 x i32> %v122, splat (i32 64)
  %v124 = fcmp uno <4 x float> %v109, %v109
  %v125 = select <4 x i1> %v124, <4 x i32> %v123, <4 x i32> %v121
  %v126 = trunc <4 x i32> %v125 to <4 x i16>
  %v127 = bitcast <4 x float> %v112 to <4 x i32>
  %v128 = lshr <4 x i32> %v127, splat (i32 16)
  %v129 = and <4 x i32> %v128, splat (i32 1)
  %v130 = add <4 x i32> %v129, splat (i32 32767)
  %v131 = add <4 x i32> %v127, %v130
  %v132 = lshr <4 x i32> %v131, splat (i32 16)
  %v133 = lshr <4 x i32> %v127, splat (i32 16)
  %v134 = or <4 x i32> %v133, splat (i32 64)
  %v135 = fcmp uno <4 x float> %v112, %v112
  %v136 = select <4 x i1> %v135, <4 x i32> %v134, <4 x i32> %v132
  %v137 = trunc <4 x i32> %v136 to <4 x i16>
  %v138 = bitcast <4 x float> %v115 to <4 x i32>
  %v139 = lshr <4 x i32> %v138, splat (i32 16)
  %v140 = and <4 x i32> %v139, splat (i32 1)
  %v141 = add <4 x i32> %v140, splat (i32 32767)
  %v142 = add <4 x i32> %v138, %v141
  %v143 = lshr <4 x i32> %v142, splat (i32 16)
  %v144 = lshr <4 x i32> %v138, splat (i32 16)
  %v145 = or <4 x i32> %v144, splat (i32 64)
  %v146 = fcmp uno <4 x float> %v115, %v115
  %v147 = select <4 x i1> %v146, <4 x i32> %v145, <4 x i32> %v143
  %v148 = trunc <4 x i32> %v147 to <4 x i16>
  %v149 = mul i64 %v20, %v47
  %v150 = add i64 %v18, %v149
  %v151 = mul i64 %v22, %v24
  %v152 = add i64 %v150, %v151
  %v153 = add i64 %v152, %v29
  %v154 = getelementptr i16, ptr %b2, i64 %v153
  store <4 x i16> %v126, ptr %v154, align 1
  %v155 = getelementptr i16, ptr %v154, i64 4
  store <4 x i16> %v137, ptr %v155, align 1
  %v156 = getelementptr i16, ptr %v154, i64 8
  store <4 x i16> %v148, ptr %v156, align 1
  %v157 = add i64 %v47, 1
  %v158 = icmp slt i64 %v157, %v6
  br i1 %v158, label %L7, label %L8
L8:
  %v159 = phi <4 x float> [ %v39, %L4 ], [ %v109, %L7 ]
  %v160 = phi <4 x float> [ %v42, %L4 ], [ %v112, %L7 ]
  %v161 = phi <4 x float> [ %v45, %L4 ], [ %v115, %L7 ]
  %v162 = bitcast <4 x float> %v159 to <4 x i32>
  %v163 = lshr <4 x i32> %v162, splat (i32 16)
  %v164 = and <4 x i32> %v163, splat (i32 1)
  %v165 = add <4 x i32> %v164, splat (i32 32767)
  %v166 = add <4 x i32> %v162, %v165
  %v167 = lshr <4 x i32> %v166, splat (i32 16)
  %v168 = lshr <4 x i32> %v162, splat (i32 16)
  %v169 = or <4 x i32> %v168, splat (i32 64)
  %v170 = fcmp uno <4 x float> %v159, %v159
  %v171 = select <4 x i1> %v170, <4 x i32> %v169, <4 x i32> %v167
  %v172 = trunc <4 x i32> %v171 to <4 x i16>
  %v173 = bitcast <4 x float> %v160 to <4 x i32>
  %v174 = lshr <4 x i32> %v173, splat (i32 16)
  %v175 = and <4 x i32> %v174, splat (i32 1)
  %v176 = add <4 x i32> %v175, splat (i32 32767)
  %v177 = add <4 x i32> %v173, %v176
  %v178 = lshr <4 x i32> %v177, splat (i32 16)
  %v179 = lshr <4 x i32> %v173, splat (i32 16)
  %v180 = or <4 x i32> %v179, splat (i32 64)
  %v181 = fcmp uno <4 x float> %v160, %v160
  %v182 = select <4 x i1> %v181, <4 x i32> %v180, <4 x i32> %v178
  %v183 = trunc <4 x i32> %v182 to <4 x i16>
  %v184 = bitcast <4 x float> %v161 to <4 x i32>
  %v185 = lshr <4 x i32> %v184, splat (i32 16)
  %v186 = and <4 x i32> %v185, splat (i32 1)
  %v187 = add <4 x i32> %v186, splat (i32 32767)
  %v188 = add <4 x i32> %v184, %v187
  %v189 = lshr <4 x i32> %v188, splat (i32 16)
  %v190 = lshr <4 x i32> %v184, splat (i32 16)
  %v191 = or <4 x i32> %v190, splat (i32 64)
  %v192 = fcmp uno <4 x float> %v161, %v161
  %v193 = select <4 x i1> %v192, <4 x i32> %v191, <4 x i32> %v189
  %v194 = trunc <4 x i32> %v193 to <4 x i16>
  %v195 = add i64 %v10, %v29
  %v196 = getelementptr i16, ptr %b0, i64 %v195
  store <4 x i16> %v172, ptr %v196, align 1
  %v197 = getelementptr i16, ptr %v196, i64 4
  store <4 x i16> %v183, ptr %v197, align 1
  %v198 = getelementptr i16, ptr %v196, i64 8
  store <4 x i16> %v194, ptr %v198, align 1
  %v199 = add i64 %v29, 12
  %v200 = icmp slt i64 %v199, %v27
  br i1 %v200, label %L4, label %L5
L5:
  %v201 = icmp slt i64 %v27, %v8
  br i1 %v201, label %L9, label %L11
L9:
  br label %L10
L10:
  %v202 = phi i64 [ %v27, %L9 ], [ %v270, %L14 ]
  %v203 = add i64 %v10, %v202
  %v204 = getelementptr i16, ptr %b0, i64 %v203
  %v205 = load i16, ptr %v204, align 1
  %v206 = zext i16 %v205 to i32
  %v207 = shl i32 %v206, 16
  %v208 = bitcast i32 %v207 to float
  %v209 = icmp slt i64 0, %v6
  br i1 %v209, label %L12, label %L14
L12:
  br label %L13
L13:
  %v210 = phi i64 [ 0, %L12 ], [ %v254, %L13 ]
  %v211 = phi float [ %v208, %L12 ], [ %v236, %L13 ]
  %v212 = mul i64 %v14, %v210
  %v213 = add i64 %v12, %v212
  %v214 = mul i64 %v16, %v24
  %v215 = add i64 %v213, %v214
  %v216 = add i64 %v215, %v202
  %v217 = getelementptr i16, ptr %b1, i64 %v216
  %v218 = load i16, ptr %v217, align 1, !invariant.load !1
  %v219 = zext i16 %v218 to i32
  %v220 = shl i32 %v219, 16
  %v221 = bitcast i32 %v220 to float
  %v222 = fadd float %v211, %v221
  %v223 = bitcast float %v222 to i32
  %v224 = lshr i32 %v223, 16
  %v225 = and i32 %v224, 1
  %v226 = add i32 %v225, 32767
  %v227 = add i32 %v223, %v226
  %v228 = lshr i32 %v227, 16
  %v229 = lshr i32 %v223, 16
  %v230 = or i32 %v229, 64
  %v231 = fcmp uno float %v222, %v222
  %v232 = select i1 %v231, i32 %v230, i32 %v228
  %v233 = trunc i32 %v232 to i16
  %v234 = zext i16 %v233 to i32
  %v235 = shl i32 %v234, 16
  %v236 = bitcast i32 %v235 to float
  %v237 = bitcast float %v236 to i32
  %v238 = lshr i32 %v237, 16
  %v239 = and i32 %v238, 1
  %v240 = add i32 %v239, 32767
  %v241 = add i32 %v237, %v240
  %v242 = lshr i32 %v241, 16
  %v243 = lshr i32 %v237, 16
  %v244 = or i32 %v243, 64
  %v245 = fcmp uno float %v236, %v236
  %v246 = select i1 %v245, i32 %v244, i32 %v242
  %v247 = trunc i32 %v246 to i16
  %v248 = mul i64 %v20, %v210
  %v249 = add i64 %v18, %v248
  %v250 = mul i64 %v22, %v24
  %v251 = add i64 %v249, %v250
  %v252 = add i64 %v251, %v202
  %v253 = getelementptr i16, ptr %b2, i64 %v252
  store i16 %v247, ptr %v253, align 1
  %v254 = add i64 %v210, 1
  %v255 = icmp slt i64 %v254, %v6
  br i1 %v255, label %L13, label %L14
L14:
  %v256 = phi float [ %v208, %L10 ], [ %v236, %L13 ]
  %v257 = bitcast float %v256 to i32
  %v258 = lshr i32 %v257, 16
  %v259 = and i32 %v258, 1
  %v260 = add i32 %v259, 32767
  %v261 = add i32 %v257, %v260
  %v262 = lshr i32 %v261, 16
  %v263 = lshr i32 %v257, 16
  %v264 = or i32 %v263, 64
  %v265 = fcmp uno float %v256, %v256
  %v266 = select i1 %v265, i32 %v264, i32 %v262
  %v267 = trunc i32 %v266 to i16
  %v268 = add i64 %v10, %v202
  %v269 = getelementptr i16, ptr %b0, i64 %v268
  store i16 %v267, ptr %v269, align 1
  %v270 = add i64 %v202, 1
  %v271 = icmp slt i64 %v270, %v8
  br i1 %v271, label %L10, label %L11
L11:
  %v272 = add i64 %v24, 1
  %v273 = icmp slt i64 %v272, %v4
  br i1 %v273, label %L1, label %L2
L2:
  ret void
}


attributes #0 = { nounwind "target-cpu"="generic" "target-features"="+neon" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
!0 = !{i32 1}
!1 = !{}
