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
  %v24 = phi i64 [ 0, %L0 ], [ %v113, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 16
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v82, %L8 ]
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
  %v40 = phi i64 [ 0, %L6 ], [ %v71, %L7 ]
  %v41 = phi <4 x float> [ %v32, %L6 ], [ %v58, %L7 ]
  %v42 = phi <4 x float> [ %v34, %L6 ], [ %v59, %L7 ]
  %v43 = phi <4 x float> [ %v36, %L6 ], [ %v60, %L7 ]
  %v44 = phi <4 x float> [ %v38, %L6 ], [ %v61, %L7 ]
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
  %v58 = fadd <4 x float> %v41, %v51
  %v59 = fadd <4 x float> %v42, %v53
  %v60 = fadd <4 x float> %v43, %v55
  %v61 = fadd <4 x float> %v44, %v57
  %v62 = mul i64 %v20, %v40
  %v63 = add i64 %v18, %v62
  %v64 = mul i64 %v22, %v24
  %v65 = add i64 %v63, %v64
  %v66 = add i64 %v65, %v29
  %v67 = getelementptr float, ptr %b2, i64 %v66
  store <4 x float> %v58, ptr %v67, align 1
  %v68 = getelementptr float, ptr %v67, i64 4
  store <4 x float> %v59, ptr %v68, align 1
  %v69 = getelementptr float, ptr %v67, i64 8
  store <4 x float> %v60, ptr %v69, align 1
  %v70 = getelementptr float, ptr %v67, i64 12
  store <4 x float> %v61, ptr %v70, align 1
  %v71 = add i64 %v40, 1
  %v72 = icmp slt i64 %v71, %v6
  br i1 %v72, label %L7, label %L8
L8:
  %v73 = phi <4 x float> [ %v32, %L4 ], [ %v58, %L7 ]
  %v74 = phi <4 x float> [ %v34, %L4 ], [ %v59, %L7 ]
  %v75 = phi <4 x float> [ %v36, %L4 ], [ %v60, %L7 ]
  %v76 = phi <4 x float> [ %v38, %L4 ], [ %v61, %L7 ]
  %v77 = add i64 %v10, %v29
  %v78 = getelementptr float, ptr %b0, i64 %v77
  store <4 x float> %v73, ptr %v78, align 1
  %v79 = getelementptr float, ptr %v78, i64 4
  store <4 x float> %v74, ptr %v79, align 1
  %v80 = getelementptr float, ptr %v78, i64 8
  store <4 x float> %v75, ptr %v80, align 1
  %v81 = getelementptr float, ptr %v78, i64 12
  store <4 x float> %v76, ptr %v81, align 1
  %v82 = add i64 %v29, 16
  %v83 = icmp slt i64 %v82, %v27
  br i1 %v83, label %L4, label %L5
L5:
  %v84 = icmp slt i64 %v27, %v8
  br i1 %v84, label %L9, label %L11
L9:
  br label %L10
L10:
  %v85 = phi i64 [ %v27, %L9 ], [ %v111, %L14 ]
  %v86 = add i64 %v10, %v85
  %v87 = getelementptr float, ptr %b0, i64 %v86
  %v88 = load float, ptr %v87, align 1
  %v89 = icmp slt i64 0, %v6
  br i1 %v89, label %L12, label %L14
L12:
  br label %L13
L13:
  %v90 = phi i64 [ 0, %L12 ], [ %v106, %L13 ]
  %v91 = phi float [ %v88, %L12 ], [ %v99, %L13 ]
  %v92 = mul i64 %v14, %v90
  %v93 = add i64 %v12, %v92
  %v94 = mul i64 %v16, %v24
  %v95 = add i64 %v93, %v94
  %v96 = add i64 %v95, %v85
  %v97 = getelementptr float, ptr %b1, i64 %v96
  %v98 = load float, ptr %v97, align 1, !invariant.load !1
  %v99 = fadd float %v91, %v98
  %v100 = mul i64 %v20, %v90
  %v101 = add i64 %v18, %v100
  %v102 = mul i64 %v22, %v24
  %v103 = add i64 %v101, %v102
  %v104 = add i64 %v103, %v85
  %v105 = getelementptr float, ptr %b2, i64 %v104
  store float %v99, ptr %v105, align 1
  %v106 = add i64 %v90, 1
  %v107 = icmp slt i64 %v106, %v6
  br i1 %v107, label %L13, label %L14
L14:
  %v108 = phi float [ %v88, %L10 ], [ %v99, %L13 ]
  %v109 = add i64 %v10, %v85
  %v110 = getelementptr float, ptr %b0, i64 %v109
  store float %v108, ptr %v110, align 1
  %v111 = add i64 %v85, 1
  %v112 = icmp slt i64 %v111, %v8
  br i1 %v112, label %L10, label %L11
L11:
  %v113 = add i64 %v24, 1
  %v114 = icmp slt i64 %v113, %v4
  br i1 %v114, label %L1, label %L2
L2:
  ret void
}


attributes #0 = { nounwind "target-cpu"="generic" "target-features"="+neon" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
!0 = !{i32 1}
!1 = !{}
