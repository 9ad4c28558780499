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
  %v23 = getelementptr i64, ptr %params, i64 10
  %v24 = load i64, ptr %v23, align 8
  %v25 = getelementptr i64, ptr %params, i64 11
  %v26 = load i64, ptr %v25, align 8
  %v27 = icmp slt i64 0, %v4
  br i1 %v27, label %L0, label %L2
L0:
  br label %L1
L1:
  %v28 = phi i64 [ 0, %L0 ], [ %v127, %L11 ]
  %v29 = sub i64 %v8, 0
  %v30 = srem i64 %v29, 4
  %v31 = sub i64 %v8, %v30
  %v32 = icmp slt i64 0, %v31
  br i1 %v32, label %L3, label %L5
L3:
  br label %L4
L4:
  %v33 = phi i64 [ 0, %L3 ], [ %v92, %L8 ]
  %v34 = add i64 %v10, %v33
  %v35 = getelementptr double, ptr %b0, i64 %v34
  %v36 = load <2 x double>, ptr %v35, align 1
  %v37 = getelementptr double, ptr %v35, i64 2
  %v38 = load <2 x double>, ptr %v37, align 1
  %v39 = icmp slt i64 0, %v6
  br i1 %v39, label %L6, label %L8
L6:
  br label %L7
L7:
  %v40 = phi i64 [ 0, %L6 ], [ %v85, %L7 ]
  %v41 = phi <2 x double> [ %v36, %L6 ], [ %v64, %L7 ]
  %v42 = phi <2 x double> [ %v38, %L6 ], [ %v65, %L7 ]
  %v43 = mul i64 %v14, %v40
  %v44 = add i64 %v12, %v43
  %v45 = mul i64 %v16, %v28
  %v46 = add i64 %v44, %v45
  %v47 = mul i64 %v18, %v33
  %v48 = add i64 %v46, %v47
  %v49 = getelementptr double, ptr %b1, i64 %v48
  %v50 = insertelement <2 x i64> poison, i64 %v18, i64 0
  %v51 = shufflevector <2 x i64> %v50, <2 x i64> poison, <2 x i32> zeroinitializer
  %v52 = mul <2 x i64> %v51, <i64 0, i64 1>
  %v53 = getelementptr double, ptr %v49, <2 x i64> %v52
  %v54 = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %v53, i32 1, <2 x i1> splat (i1 true), <2 x double> zeroinitializer)
  %v55 = mul i64 2, %v18
  %v56 = getelementptr double, ptr %v49, i64 %v55
  %v57 = insertelement <2 x i64> poison, i64 %v18, i64 0
  %v58 = shufflevector <2 x i64> %v57, <2 x i64> poison, <2 x i32> zeroinitializer
  %v59 = mul <2 x i64> %v58, <i64 0, i64 1>
  %v60 = getelementptr double, ptr %v56, <2 x i64> %v59
  %v61 = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %v60, i32 1, <2 x i1> splat (i1 true), <2 x double> zeroinitializer)
  %v62 = fmul <2 x double> %v54, %v54
  %v63 = fmul <2 x double> %v61, %v61
  %v64 = call <2 x double> @llvm.fma.v2f64(<2 x double> %v54, <2 x double> %v54, <2 x double> %v41)
  %v65 = call <2 x double> @llvm.fma.v2f64(<2 x double> %v61, <2 x double> %v61, <2 x double> %v42)
  %v66 = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %v64)
  %v67 = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %v65)
  %v68 = mul i64 %v22, %v40
  %v69 = add i64 %v20, %v68
  %v70 = mul i64 %v24, %v28
  %v71 = add i64 %v69, %v70
  %v72 = mul i64 %v26, %v33
  %v73 = add i64 %v71, %v72
  %v74 = getelementptr double, ptr %b2, i64 %v73
  %v75 = insertelement <2 x i64> poison, i64 %v26, i64 0
  %v76 = shufflevector <2 x i64> %v75, <2 x i64> poison, <2 x i32> zeroinitializer
  %v77 = mul <2 x i64> %v76, <i64 0, i64 1>
  %v78 = getelementptr double, ptr %v74, <2 x i64> %v77
  call void @llvm.masked.scatter.v2f64.v2p0(<2 x double> %v66, <2 x ptr> %v78, i32 1, <2 x i1> splat (i1 true))
  %v79 = mul i64 2, %v26
  %v80 = getelementptr double, ptr %v74, i64 %v79
  %v81 = insertelement <2 x i64> poison, i64 %v26, i64 0
  %v82 = shufflevector <2 x i64> %v81, <2 x i64> poison, <2 x i32> zeroinitializer
  %v83 = mul <2 x i64> %v82, <i64 0, i64 1>
  %v84 = getelementptr double, ptr %v80, <2 x i64> %v83
  call void @llvm.masked.scatter.v2f64.v2p0(<2 x double> %v67, <2 x ptr> %v84, i32 1, <2 x i1> splat (i1 true))
  %v85 = add i64 %v40, 1
  %v86 = icmp slt i64 %v85, %v6
  br i1 %v86, label %L7, label %L8
L8:
  %v87 = phi <2 x double> [ %v36, %L4 ], [ %v64, %L7 ]
  %v88 = phi <2 x double> [ %v38, %L4 ], [ %v65, %L7 ]
  %v89 = add i64 %v10, %v33
  %v90 = getelementptr double, ptr %b0, i64 %v89
  store <2 x double> %v87, ptr %v90, align 1
  %v91 = getelementptr double, ptr %v90, i64 2
  store <2 x double> %v88, ptr %v91, align 1
  %v92 = add i64 %v33, 4
  %v93 = icmp slt i64 %v92, %v31
  br i1 %v93, label %L4, label %L5
L5:
  %v94 = icmp slt i64 %v31, %v8
  br i1 %v94, label %L9, label %L11
L9:
  br label %L10
L10:
  %v95 = phi i64 [ %v31, %L9 ], [ %v125, %L14 ]
  %v96 = add i64 %v10, %v95
  %v97 = getelementptr double, ptr %b0, i64 %v96
  %v98 = load double, ptr %v97, align 1
  %v99 = icmp slt i64 0, %v6
  br i1 %v99, label %L12, label %L14
L12:
  br label %L13
L13:
  %v100 = phi i64 [ 0, %L12 ], [ %v120, %L13 ]
  %v101 = phi double [ %v98, %L12 ], [ %v111, %L13 ]
  %v102 = mul i64 %v14, %v100
  %v103 = add i64 %v12, %v102
  %v104 = mul i64 %v16, %v28
  %v105 = add i64 %v103, %v104
  %v106 = mul i64 %v18, %v95
  %v107 = add i64 %v105, %v106
  %v108 = getelementptr double, ptr %b1, i64 %v107
  %v109 = load double, ptr %v108, align 1, !invariant.load !1
  %v110 = fmul double %v109, %v109
  %v111 = call double @llvm.fma.f64(double %v109, double %v109, double %v101)
  %v112 = call double @llvm.sqrt.f64(double %v111)
  %v113 = mul i64 %v22, %v100
  %v114 = add i64 %v20, %v113
  %v115 = mul i64 %v24, %v28
  %v116 = add i64 %v114, %v115
  %v117 = mul i64 %v26, %v95
  %v118 = add i64 %v116, %v117
  %v119 = getelementptr double, ptr %b2, i64 %v118
  store double %v112, ptr %v119, align 1
  %v120 = add i64 %v100, 1
  %v121 = icmp slt i64 %v120, %v6
  br i1 %v121, label %L13, label %L14
L14:
  %v122 = phi double [ %v98, %L10 ], [ %v111, %L13 ]
  %v123 = add i64 %v10, %v95
  %v124 = getelementptr double, ptr %b0, i64 %v123
  store double %v122, ptr %v124, align 1
  %v125 = add i64 %v95, 1
  %v126 = icmp slt i64 %v125, %v8
  br i1 %v126, label %L10, label %L11
L11:
  %v127 = add i64 %v28, 1
  %v128 = icmp slt i64 %v127, %v4
  br i1 %v128, label %L1, label %L2
L2:
  ret void
}

declare <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x double>)
declare <2 x double> @llvm.fma.v2f64(<2 x double>, <2 x double>, <2 x double>)
declare <2 x double> @llvm.sqrt.v2f64(<2 x double>)
declare void @llvm.masked.scatter.v2f64.v2p0(<2 x double>, <2 x ptr>, i32, <2 x i1>)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)

attributes #0 = { nounwind "target-cpu"="generic" "target-features"="+neon" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
!0 = !{i32 1}
!1 = !{}
