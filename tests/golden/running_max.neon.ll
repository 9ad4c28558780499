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
  %v24 = phi i64 [ 0, %L0 ], [ %v128, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 16
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v94, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr float, ptr %b0, i64 %v30
  %v32 = load <4 x float>, ptr %v31, align 1
  %v33 = getelementptr float, ptr %v31, i64 4
  %v34 = load <4 x float>, ptr %v33, align 1
  %v35 = getelementptr float, ptr %v31, i64 8
  %v36 = load <4 x float>, ptr %v35, align 1
  %v37 = getelementptr float, ptr %v31, i64 12
  %v38 = load <4 x float>, ptr %v37, align 1
  %v39 = icmp slt i64 0, %v6
  br i1 %v39, label %L6, label %L8
L6:
  br label %L7
L7:
  %v40 = phi i64 [ 0, %L6 ], [ %v83, %L7 ]
  %v41 = phi <4 x float> [ %v32, %L6 ], [ %v61, %L7 ]
  %v42 = phi <4 x float> [ %v34, %L6 ], [ %v65, %L7 ]
  %v43 = phi <4 x float> [ %v36, %L6 ], [ %v69, %L7 ]
  %v44 = phi <4 x float> [ %v38, %L6 ], [ %v73, %L7 ]
  %v45 = mul i64 %v14, %v40
  %v46 = add i64 %v12, %v45
  %v47 = mul i64 %v16, %v24
  %v48 = add i64 %v46, %v47
  %v49 = add i64 %v48, %v29
  %v50 = getelementptr float, ptr %b1, i64 %v49
  %v51 = load <4 x float>, ptr %v50, align 1, !invariant.load !1
  %v52 = getelementptr float, ptr %v50, i64 4
  %v53 = load <4 x float>, ptr %v52, align 1, !invariant.load !1
  %v54 = getelementptr float, ptr %v50, i64 8
  %v55 = load <4 x float>, ptr %v54, align 1, !invariant.load !1
  %v56 = getelementptr float, ptr %v50, i64 12
  %v57 = load <4 x float>, ptr %v56, align 1, !invariant.load !1
  %v58 = fcmp olt <4 x float> %v41, %v51
  %v59 = select <4 x i1> %v58, <4 x float> %v51, <4 x float> %v41
  %v60 = fcmp uno <4 x float> %v51, %v51
  %v61 = select <4 x i1> %v60, <4 x float> %v51, <4 x float> %v59
  %v62 = fcmp olt <4 x float> %v42, %v53
  %v63 = select <4 x i1> %v62, <4 x float> %v53, <4 x float> %v42
  %v64 = fcmp uno <4 x float> %v53, %v53
  %v65 = select <4 x i1> %v64, <4 x float> %v53, <4 x float> %v63
  %v66 = fcmp olt <4 x float> %v43, %v55
  %v67 = select <4 x i1> %v66, <4 x float> %v55, <4 x float> %v43
  %v68 = fcmp uno <4 x float> %v55, %v55
  %v69 = select <4 x i1> %v68, <4 x float> %v55, <4 x float> %v67
  %v70 = fcmp olt <4 x float> %v44, %v57
  %v71 = select <4 x i1> %v70, <4 x float> %v57, <4 x float> %v44
  %v72 = fcmp uno <4 x float> %v57, %v57
  %v73 = select <4 x i1> %v72, <4 x float> %v57, <4 x float> %v71
  %v74 = mul i64 %v20, %v40
  %v75 = add i64 %v18, %v74
  %v76 = mul i64 %v22, %v24
  %v77 = add i64 %v75, %v76
  %v78 = add i64 %v77, %v29
  %v79 = getelementptr float, ptr %b2, i64 %v78
  store <4 x float> %v61, ptr %v79, align 1
  %v80 = getelementptr float, ptr %v79, i64 4
  store <4 x float> %v65, ptr %v80, align 1
  %v81 = getelementptr float, ptr %v79, i64 8
  store <4 x float> %v69, ptr %v81, align 1
  %v82 = getelementptr float, ptr %v79, i64 12
  store <4 x float> %v73, ptr %v82, align 1
  %v83 = add i64 %v40, 1
  %v84 = icmp slt i64 %v83, %v6
  br i1 %v84, label %L7, label %L8
L8:
  %v85 = phi <4 x float> [ %v32, %L4 ], [ %v61, %L7 ]
  %v86 = phi <4 x float> [ %v34, %L4 ], [ %v65, %L7 ]
  %v87 = phi <4 x float> [ %v36, %L4 ], [ %v69, %L7 ]
  %v88 = phi <4 x float> [ %v38, %L4 ], [ %v73, %L7 ]
  %v89 = add i64 %v10, %v29
  %v90 = getelementptr float, ptr %b0, i64 %v89
  store <4 x float> %v85, ptr %v90, align 1
  %v91 = getelementptr float, ptr %v90, i64 4
  store <4 x float> %v86, ptr %v91, align 1
  %v92 = getelementptr float, ptr %v90, i64 8
  store <4 x float> %v87, ptr %v92, align 1
  %v93 = getelementptr float, ptr %v90, i64 12
  store <4 x float> %v88, ptr %v93, align 1
  %v94 = add i64 %v29, 16
  %v95 = icmp slt i64 %v94, %v27
  br i1 %v95, label %L4, label %L5
L5:
  %v96 = icmp slt i64 %v27, %v8
  br i1 %v96, label %L9, label %L11
L9:
  br label %L10
L10:
  %v97 = phi i64 [ %v27, %L9 ], [ %v126, %L14 ]
  %v98 = add i64 %v10, %v97
  %v99 = getelementptr float, ptr %b0, i64 %v98
  %v100 = load float, ptr %v99, align 1
  %v101 = icmp slt i64 0, %v6
  br i1 %v101, label %L12, label %L14
L12:
  br label %L13
L13:
  %v102 = phi i64 [ 0, %L12 ], [ %v121, %L13 ]
  %v103 = phi float [ %v100, %L12 ], [ %v114, %L13 ]
  %v104 = mul i64 %v14, %v102
  %v105 = add i64 %v12, %v104
  %v106 = mul i64 %v16, %v24
  %v107 = add i64 %v105, %v106
  %v108 = add i64 %v107, %v97
  %v109 = getelementptr float, ptr %b1, i64 %v108
  %v110 = load float, ptr %v109, align 1, !invariant.load !1
  %v111 = fcmp olt float %v103, %v110
  %v112 = select i1 %v111, float %v110, float %v103
  %v113 = fcmp uno float %v110, %v110
  %v114 = select i1 %v113, float %v110, float %v112
  %v115 = mul i64 %v20, %v102
  %v116 = add i64 %v18, %v115
  %v117 = mul i64 %v22, %v24
  %v118 = add i64 %v116, %v117
  %v119 = add i64 %v118, %v97
  %v120 = getelementptr float, ptr %b2, i64 %v119
  store float %v114, ptr %v120, align 1
  %v121 = add i64 %v102, 1
  %v122 = icmp slt i64 %v121, %v6
  br i1 %v122, label %L13, label %L14
L14:
  %v123 = phi float [ %v100, %L10 ], [ %v114, %L13 ]
  %v124 = add i64 %v10, %v97
  %v125 = getelementptr float, ptr %b0, i64 %v124
  store float %v123, ptr %v125, align 1
  %v126 = add i64 %v97, 1
  %v127 = icmp slt i64 %v126, %v8
  br i1 %v127, label %L10, label %L11
L11:
  %v128 = add i64 %v24, 1
  %v129 = icmp slt i64 %v128, %v4
  br i1 %v129, label %L1, label %L2
L2:
  ret void
}


attributes #0 = { nounwind "target-cpu"="generic" "target-features"="+neon" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
!0 = !{i32 1}
!1 = !{}
