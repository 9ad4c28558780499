target triple = "x86_64-unknown-linux-gnu"

define void @pawl_matvec(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {
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
  %v8 = call i64 @llvm.smin.i64(i64 %end, i64 %v4)
  %v9 = sub i64 %v8, %v7
  %v10 = srem i64 %v9, 2
  %v11 = sub i64 %v8, %v10
  %v12 = icmp slt i64 %v7, %v11
  br i1 %v12, label %L0, label %L2
L0:
  br label %L1
L1:
  %v13 = phi i64 [ %v7, %L0 ], [ %v105, %L8 ]
  %v14 = srem i64 %v6, 16
  %v15 = sub i64 %v6, %v14
  %v16 = icmp slt i64 0, %v15
  br i1 %v16, label %L3, label %L5
L3:
  br label %L4
L4:
  %v17 = phi i64 [ 0, %L3 ], [ %v48, %L4 ]
  %v18 = phi <8 x float> [ splat (float 0x8000000000000000), %L3 ], [ %v44, %L4 ]
  %v19 = phi <8 x float> [ splat (float 0x8000000000000000), %L3 ], [ %v45, %L4 ]
  %v20 = phi <8 x float> [ splat (float 0x8000000000000000), %L3 ], [ %v46, %L4 ]
  %v21 = phi <8 x float> [ splat (float 0x8000000000000000), %L3 ], [ %v47, %L4 ]
  %v22 = mul i64 %v6, %v13
  %v23 = add i64 %v22, %v17
  %v24 = getelementptr float, ptr %b0, i64 %v23
  %v25 = load <8 x float>, ptr %v24, align 1, !invariant.load !1
  %v26 = getelementptr float, ptr %v24, i64 8
  %v27 = load <8 x float>, ptr %v26, align 1, !invariant.load !1
  %v28 = getelementptr float, ptr %v24, i64 %v6
  %v29 = load <8 x float>, ptr %v28, align 1, !invariant.load !1
  %v30 = add i64 %v6, 8
  %v31 = getelementptr float, ptr %v24, i64 %v30
  %v32 = load <8 x float>, ptr %v31, align 1, !invariant.load !1
  %v33 = getelementptr float, ptr %b1, i64 %v17
  %v34 = load <8 x float>, ptr %v33, align 1, !invariant.load !1
  %v35 = getelementptr float, ptr %v33, i64 8
  %v36 = load <8 x float>, ptr %v35, align 1, !invariant.load !1
  %v37 = load <8 x float>, ptr %v33, align 1, !invariant.load !1
  %v38 = getelementptr float, ptr %v33, i64 8
  %v39 = load <8 x float>, ptr %v38, align 1, !invariant.load !1
  %v40 = fmul <8 x float> %v25, %v34
  %v41 = fmul <8 x float> %v27, %v36
  %v42 = fmul <8 x float> %v29, %v37
  %v43 = fmul <8 x float> %v32, %v39
  %v44 = fadd <8 x float> %v18, %v40
  %v45 = fadd <8 x float> %v19, %v41
  %v46 = fadd <8 x float> %v20, %v42
  %v47 = fadd <8 x float> %v21, %v43
  %v48 = add i64 %v17, 16
  %v49 = icmp slt i64 %v48, %v15
  br i1 %v49, label %L4, label %L5
L5:
  %v50 = phi <8 x float> [ splat (float 0x8000000000000000), %L1 ], [ %v44, %L4 ]
  %v51 = phi <8 x float> [ splat (float 0x8000000000000000), %L1 ], [ %v45, %L4 ]
  %v52 = phi <8 x float> [ splat (float 0x8000000000000000), %L1 ], [ %v46, %L4 ]
  %v53 = phi <8 x float> [ splat (float 0x8000000000000000), %L1 ], [ %v47, %L4 ]
  %v54 = fadd <8 x float> %v50, %v51
  %v55 = fadd <8 x float> %v52, %v53
  %v56 = icmp slt i64 %v15, %v6
  br i1 %v56, label %L6, label %L8
L6:
  br label %L7
L7:
  %v57 = phi i64 [ %v15, %L6 ], [ %v79, %L7 ]
  %v58 = phi <8 x float> [ %v54, %L6 ], [ %v77, %L7 ]
  %v59 = phi <8 x float> [ %v55, %L6 ], [ %v78, %L7 ]
  %v60 = sub i64 %v6, %v57
  %v61 = trunc i64 %v60 to i32
  %v62 = insertelement <8 x i32> poison, i32 %v61, i64 0
  %v63 = shufflevector <8 x i32> %v62, <8 x i32> poison, <8 x i32> zeroinitializer
  %v64 = icmp ult <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %v63
  %v65 = mul i64 %v6, %v13
  %v66 = add i64 %v65, %v57
  %v67 = getelementptr float, ptr %b0, i64 %v66
  %v68 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v67, i32 1, <8 x i1> %v64, <8 x float> zeroinitializer)
  %v69 = getelementptr float, ptr %v67, i64 %v6
  %v70 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v69, i32 1, <8 x i1> %v64, <8 x float> zeroinitializer)
  %v71 = getelementptr float, ptr %b1, i64 %v57
  %v72 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v71, i32 1, <8 x i1> %v64, <8 x float> zeroinitializer)
  %v73 = fmul <8 x float> %v68, %v72
  %v74 = fmul <8 x float> %v70, %v72
  %v75 = fadd <8 x float> %v58, %v73
  %v76 = fadd <8 x float> %v59, %v74
  %v77 = select <8 x i1> %v64, <8 x float> %v75, <8 x float> %v58
  %v78 = select <8 x i1> %v64, <8 x float> %v76, <8 x float> %v59
  %v79 = add i64 %v57, 8
  %v80 = icmp slt i64 %v79, %v6
  br i1 %v80, label %L7, label %L8
L8:
  %v81 = phi <8 x float> [ %v54, %L5 ], [ %v77, %L7 ]
  %v82 = phi <8 x float> [ %v55, %L5 ], [ %v78, %L7 ]
  %v83 = shufflevector <8 x float> %v81, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v84 = shufflevector <8 x float> %v81, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v85 = fadd <4 x float> %v83, %v84
  %v86 = shufflevector <4 x float> %v85, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v87 = shufflevector <4 x float> %v85, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v88 = fadd <2 x float> %v86, %v87
  %v89 = extractelement <2 x float> %v88, i64 0
  %v90 = extractelement <2 x float> %v88, i64 1
  %v91 = fadd float %v89, %v90
  %v92 = fadd float 0x0000000000000000, %v91
  %v93 = shufflevector <8 x float> %v82, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v94 = shufflevector <8 x float> %v82, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v95 = fadd <4 x float> %v93, %v94
  %v96 = shufflevector <4 x float> %v95, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v97 = shufflevector <4 x float> %v95, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v98 = fadd <2 x float> %v96, %v97
  %v99 = extractelement <2 x float> %v98, i64 0
  %v100 = extractelement <2 x float> %v98, i64 1
  %v101 = fadd float %v99, %v100
  %v102 = fadd float 0x0000000000000000, %v101
  %v103 = getelementptr float, ptr %b2, i64 %v13
  store float %v92, ptr %v103, align 1
  %v104 = getelementptr float, ptr %v103, i64 1
  store float %v102, ptr %v104, align 1
  %v105 = add i64 %v13, 2
  %v106 = icmp slt i64 %v105, %v11
  br i1 %v106, label %L1, label %L2
L2:
  %v107 = icmp slt i64 %v11, %v8
  br i1 %v107, label %L9, label %L11
L9:
  br label %L10
L10:
  %v108 = phi i64 [ %v11, %L9 ], [ %v165, %L17 ]
  %v109 = srem i64 %v6, 16
  %v110 = sub i64 %v6, %v109
  %v111 = icmp slt i64 0, %v110
  br i1 %v111, label %L12, label %L14
L12:
  br label %L13
L13:
  %v112 = phi i64 [ 0, %L12 ], [ %v129, %L13 ]
  %v113 = phi <8 x float> [ splat (float 0x8000000000000000), %L12 ], [ %v127, %L13 ]
  %v114 = phi <8 x float> [ splat (float 0x8000000000000000), %L12 ], [ %v128, %L13 ]
  %v115 = mul i64 %v6, %v108
  %v116 = add i64 %v115, %v112
  %v117 = getelementptr float, ptr %b0, i64 %v116
  %v118 = load <8 x float>, ptr %v117, align 1, !invariant.load !1
  %v119 = getelementptr float, ptr %v117, i64 8
  %v120 = load <8 x float>, ptr %v119, align 1, !invariant.load !1
  %v121 = getelementptr float, ptr %b1, i64 %v112
  %v122 = load <8 x float>, ptr %v121, align 1, !invariant.load !1
  %v123 = getelementptr float, ptr %v121, i64 8
  %v124 = load <8 x float>, ptr %v123, align 1, !invariant.load !1
  %v125 = fmul <8 x float> %v118, %v122
  %v126 = fmul <8 x float> %v120, %v124
  %v127 = fadd <8 x float> %v113, %v125
  %v128 = fadd <8 x float> %v114, %v126
  %v129 = add i64 %v112, 16
  %v130 = icmp slt i64 %v129, %v110
  br i1 %v130, label %L13, label %L14
L14:
  %v131 = phi <8 x float> [ splat (float 0x8000000000000000), %L10 ], [ %v127, %L13 ]
  %v132 = phi <8 x float> [ splat (float 0x8000000000000000), %L10 ], [ %v128, %L13 ]
  %v133 = fadd <8 x float> %v131, %v132
  %v134 = icmp slt i64 %v110, %v6
  br i1 %v134, label %L15, label %L17
L15:
  br label %L16
L16:
  %v135 = phi i64 [ %v110, %L15 ], [ %v151, %L16 ]
  %v136 = phi <8 x float> [ %v133, %L15 ], [ %v150, %L16 ]
  %v137 = sub i64 %v6, %v135
  %v138 = trunc i64 %v137 to i32
  %v139 = insertelement <8 x i32> poison, i32 %v138, i64 0
  %v140 = shufflevector <8 x i32> %v139, <8 x i32> poison, <8 x i32> zeroinitializer
  %v141 = icmp ult <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %v140
  %v142 = mul i64 %v6, %v108
  %v143 = add i64 %v142, %v135
  %v144 = getelementptr float, ptr %b0, i64 %v143
  %v145 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v144, i32 1, <8 x i1> %v141, <8 x float> zeroinitializer)
  %v146 = getelementptr float, ptr %b1, i64 %v135
  %v147 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v146, i32 1, <8 x i1> %v141, <8 x float> zeroinitializer)
  %v148 = fmul <8 x float> %v145, %v147
  %v149 = fadd <8 x float> %v136, %v148
  %v150 = select <8 x i1> %v141, <8 x float> %v149, <8 x float> %v136
  %v151 = add i64 %v135, 8
  %v152 = icmp slt i64 %v151, %v6
  br i1 %v152, label %L16, label %L17
L17:
  %v153 = phi <8 x float> [ %v133, %L14 ], [ %v150, %L16 ]
  %v154 = shufflevector <8 x float> %v153, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v155 = shufflevector <8 x float> %v153, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v156 = fadd <4 x float> %v154, %v155
  %v157 = shufflevector <4 x float> %v156, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v158 = shufflevector <4 x float> %v156, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v159 = fadd <2 x float> %v157, %v158
  %v160 = extractelement <2 x float> %v159, i64 0
  %v161 = extractelement <2 x float> %v159, i64 1
  %v162 = fadd float %v160, %v161
  %v163 = fadd float 0x0000000000000000, %v162
  %v164 = getelementptr float, ptr %b2, i64 %v108
  store float %v163, ptr %v164, align 1
  %v165 = add i64 %v108, 1
  %v166 = icmp slt i64 %v165, %v8
  br i1 %v166, label %L10, label %L11
L11:
  ret void
}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

attributes #0 = { nounwind "target-cpu"="haswell" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2" "prefer-vector-width"="256" "min-legal-vector-width"="256" }
!0 = !{i32 1}
!1 = !{}
