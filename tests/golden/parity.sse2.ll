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
  %v24 = phi i64 [ 0, %L0 ], [ %v138, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 16
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v102, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr i8, ptr %b0, i64 %v30
  %v32 = load <4 x i8>, ptr %v31, align 1
  %v33 = icmp ne <4 x i8> %v32, splat (i8 0)
  %v34 = getelementptr i8, ptr %v31, i64 4
  %v35 = load <4 x i8>, ptr %v34, align 1
  %v36 = icmp ne <4 x i8> %v35, splat (i8 0)
  %v37 = getelementptr i8, ptr %v31, i64 8
  %v38 = load <4 x i8>, ptr %v37, align 1
  %v39 = icmp ne <4 x i8> %v38, splat (i8 0)
  %v40 = getelementptr i8, ptr %v31, i64 12
  %v41 = load <4 x i8>, ptr %v40, align 1
  %v42 = icmp ne <4 x i8> %v41, splat (i8 0)
  %v43 = icmp slt i64 0, %v6
  br i1 %v43, label %L6, label %L8
L6:
  br label %L7
L7:
  %v44 = phi i64 [ 0, %L6 ], [ %v87, %L7 ]
  %v45 = phi <4 x i1> [ %v33, %L6 ], [ %v66, %L7 ]
  %v46 = phi <4 x i1> [ %v36, %L6 ], [ %v67, %L7 ]
  %v47 = phi <4 x i1> [ %v39, %L6 ], [ %v68, %L7 ]
  %v48 = phi <4 x i1> [ %v42, %L6 ], [ %v69, %L7 ]
  %v49 = mul i64 %v14, %v44
  %v50 = add i64 %v12, %v49
  %v51 = mul i64 %v16, %v24
  %v52 = add i64 %v50, %v51
  %v53 = add i64 %v52, %v29
  %v54 = getelementptr i8, ptr %b1, i64 %v53
  %v55 = load <4 x i8>, ptr %v54, align 1, !invariant.load !1
  %v56 = icmp ne <4 x i8> %v55, splat (i8 0)
  %v57 = getelementptr i8, ptr %v54, i64 4
  %v58 = load <4 x i8>, ptr %v57, align 1, !invariant.load !1
  %v59 = icmp ne <4 x i8> %v58, splat (i8 0)
  %v60 = getelementptr i8, ptr %v54, i64 8
  %v61 = load <4 x i8>, ptr %v60, align 1, !invariant.load !1
  %v62 = icmp ne <4 x i8> %v61, splat (i8 0)
  %v63 = getelementptr i8, ptr %v54, i64 12
  %v64 = load <4 x i8>, ptr %v63, align 1, !invariant.load !1
  %v65 = icmp ne <4 x i8> %v64, splat (i8 0)
  %v66 = xor <4 x i1> %v45, %v56
  %v67 = xor <4 x i1> %v46, %v59
  %v68 = xor <4 x i1> %v47, %v62
  %v69 = xor <4 x i1> %v48, %v65
  %v70 = xor <4 x i1> %v66, splat (i1 true)
  %v71 = xor <4 x i1> %v67, splat (i1 true)
  %v72 = xor <4 x i1> %v68, splat (i1 true)
  %v73 = xor <4 x i1> %v69, splat (i1 true)
  %v74 = mul i64 %v20, %v44
  %v75 = add i64 %v18, %v74
  %v76 = mul i64 %v22, %v24
  %v77 = add i64 %v75, %v76
  %v78 = add i64 %v77, %v29
  %v79 = getelementptr i8, ptr %b2, i64 %v78
  %v80 = zext <4 x i1> %v70 to <4 x i8>
  store <4 x i8> %v80, ptr %v79, align 1
  %v81 = zext <4 x i1> %v71 to <4 x i8>
  %v82 = getelementptr i8, ptr %v79, i64 4
  store <4 x i8> %v81, ptr %v82, align 1
  %v83 = zext <4 x i1> %v72 to <4 x i8>
  %v84 = getelementptr i8, ptr %v79, i64 8
  store <4 x i8> %v83, ptr %v84, align 1
  %v85 = zext <4 x i1> %v73 to <4 x i8>
  %v86 = getelementptr i8, ptr %v79, i64 12
  store <4 x i8> %v85, ptr %v86, align 1
  %v87 = add i64 %v44, 1
  %v88 = icmp slt i64 %v87, %v6
  br i1 %v88, label %L7, label %L8
L8:
  %v89 = phi <4 x i1> [ %v33, %L4 ], [ %v66, %L7 ]
  %v90 = phi <4 x i1> [ %v36, %L4 ], [ %v67, %L7 ]
  %v91 = phi <4 x i1> [ %v39, %L4 ], [ %v68, %L7 ]
  %v92 = phi <4 x i1> [ %v42, %L4 ], [ %v69, %L7 ]
  %v93 = add i64 %v10, %v29
  %v94 = getelementptr i8, ptr %b0, i64 %v93
  %v95 = zext <4 x i1> %v89 to <4 x i8>
  store <4 x i8> %v95, ptr %v94, align 1
  %v96 = zext <4 x i1> %v90 to <4 x i8>
  %v97 = getelementptr i8, ptr %v94, i64 4
  store <4 x i8> %v96, ptr %v97, align 1
  %v98 = zext <4 x i1> %v91 to <4 x i8>
  %v99 = getelementptr i8, ptr %v94, i64 8
  store <4 x i8> %v98, ptr %v99, align 1
  %v100 = zext <4 x i1> %v92 to <4 x i8>
  %v101 = getelementptr i8, ptr %v94, i64 12
  store <4 x i8> %v100, ptr %v101, align 1
  %v102 = add i64 %v29, 16
  %v103 = icmp slt i64 %v102, %v27
  br i1 %v103, label %L4, label %L5
L5:
  %v104 = icmp slt i64 %v27, %v8
  br i1 %v104, label %L9, label %L11
L9:
  br label %L10
L10:
  %v105 = phi i64 [ %v27, %L9 ], [ %v136, %L14 ]
  %v106 = add i64 %v10, %v105
  %v107 = getelementptr i8, ptr %b0, i64 %v106
  %v108 = load i8, ptr %v107, align 1
  %v109 = icmp ne i8 %v108, 0
  %v110 = icmp slt i64 0, %v6
  br i1 %v110, label %L12, label %L14
L12:
  br label %L13
L13:
  %v111 = phi i64 [ 0, %L12 ], [ %v130, %L13 ]
  %v112 = phi i1 [ %v109, %L12 ], [ %v121, %L13 ]
  %v113 = mul i64 %v14, %v111
  %v114 = add i64 %v12, %v113
  %v115 = mul i64 %v16, %v24
  %v116 = add i64 %v114, %v115
  %v117 = add i64 %v116, %v105
  %v118 = getelementptr i8, ptr %b1, i64 %v117
  %v119 = load i8, ptr %v118, align 1, !invariant.load !1
  %v120 = icmp ne i8 %v119, 0
  %v121 = xor i1 %v112, %v120
  %v122 = xor i1 %v121, true
  %v123 = mul i64 %v20, %v111
  %v124 = add i64 %v18, %v123
  %v125 = mul i64 %v22, %v24
  %v126 = add i64 %v124, %v125
  %v127 = add i64 %v126, %v105
  %v128 = getelementptr i8, ptr %b2, i64 %v127
  %v129 = zext i1 %v122 to i8
  store i8 %v129, ptr %v128, align 1
  %v130 = add i64 %v111, 1
  %v131 = icmp slt i64 %v130, %v6
  br i1 %v131, label %L13, label %L14
L14:
  %v132 = phi i1 [ %v109, %L10 ], [ %v121, %L13 ]
  %v133 = add i64 %v10, %v105
  %v134 = getelementptr i8, ptr %b0, i64 %v133
  %v135 = zext i1 %v132 to i8
  store i8 %v135, ptr %v134, align 1
  %v136 = add i64 %v105, 1
  %v137 = icmp slt i64 %v136, %v8
  br i1 %v137, label %L10, label %L11
L11:
  %v138 = add i64 %v24, 1
  %v139 = icmp slt i64 %v138, %v4
  br i1 %v139, label %L1, label %L2
L2:
  ret void
}


attributes #0 = { nounwind "target-cpu"="x86-64" "target-features"="" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
!0 = !{i32 1}
!1 = !{}
