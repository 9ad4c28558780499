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
  %v28 = phi i64 [ 0, %L0 ], [ %v106, %L11 ]
  %v29 = sub i64 %v8, 0
  %v30 = srem i64 %v29, 2
  %v31 = sub i64 %v8, %v30
  %v32 = icmp slt i64 0, %v31
  br i1 %v32, label %L3, label %L5
L3:
  br label %L4
L4:
  %v33 = phi i64 [ 0, %L3 ], [ %v71, %L8 ]
  %v34 = add i64 %v10, %v33
  %v35 = getelementptr double, ptr %b0, i64 %v34
  %v36 = load <2 x double>, ptr %v35, align 1
  %v37 = icmp slt i64 0, %v6
  br i1 %v37, label %L6, label %L8
L6:
  br label %L7
L7:
  %v38 = phi i64 [ 0, %L6 ], [ %v66, %L7 ]
  %v39 = phi <2 x double> [ %v36, %L6 ], [ %v53, %L7 ]
  %v40 = mul i64 %v14, %v38
  %v41 = add i64 %v12, %v40
  %v42 = mul i64 %v16, %v28
  %v43 = add i64 %v41, %v42
  %v44 = mul i64 %v18, %v33
  %v45 = add i64 %v43, %v44
  %v46 = getelementptr double, ptr %b1, i64 %v45
  %v47 = insertelement <2 x i64> poison, i64 %v18, i64 0
  %v48 = shufflevector <2 x i64> %v47, <2 x i64> poison, <2 x i32> zeroinitializer
  %v49 = mul <2 x i64> %v48, <i64 0, i64 1>
  %v50 = getelementptr double, ptr %v46, <2 x i64> %v49
  %v51 = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %v50, i32 1, <2 x i1> splat (i1 true), <2 x double> zeroinitializer)
  %v52 = fmul <2 x double> %v51, %v51
  %v53 = call <2 x double> @llvm.fma.v2f64(<2 x double> %v51, <2 x double> %v51, <2 x double> %v39)
  %v54 = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %v53)
  %v55 = mul i64 %v22, %v38
  %v56 = add i64 %v20, %v55
  %v57 = mul i64 %v24, %v28
  %v58 = add i64 %v56, %v57
  %v59 = mul i64 %v26, %v33
  %v60 = add i64 %v58, %v59
  %v61 = getelementptr double, ptr %b2, i64 %v60
  %v62 = insertelement <2 x i64> poison, i64 %v26, i64 0
  %v63 = shufflevector <2 x i64> %v62, <2 x i64> poison, <2 x i32> zeroinitializer
  %v64 = mul <2 x i64> %v63, <i64 0, i64 1>
  %v65 = getelementptr double, ptr %v61, <2 x i64> %v64
  call void @llvm.masked.scatter.v2f64.v2p0(<2 x double> %v54, <2 x ptr> %v65, i32 1, <2 x i1> splat (i1 true))
  %v66 = add i64 %v38, 1
  %v67 = icmp slt i64 %v66, %v6
  br i1 %v67, label %L7, label %L8
L8:
  %v68 = phi <2 x double> [ %v36, %L4 ], [ %v53, %L7 ]
  %v69 = add i64 %v10, %v33
  %v70 = getelementptr double, ptr %b0, i64 %v69
  store <2 x double> %v68, ptr %v70, align 1
  %v71 = add i64 %v33, 2
  %v72 = icmp slt i64 %v71, %v31
  br i1 %v72, label %L4, label %L5
L5:
  %v73 = icmp slt i64 %v31, %v8
  br i1 %v73, label %L9, label %L11
L9:
  br label %L10
L10:
  %v74 = phi i64 [ %v31, %L9 ], [ %v104, %L14 ]
  %v75 = add i64 %v10, %v74
  %v76 = getelementptr double, ptr %b0, i64 %v75
  %v77 = load double, ptr %v76, align 1
  %v78 = icmp slt i64 0, %v6
  br i1 %v78, label %L12, label %L14
L12:
  br label %L13
L13:
  %v79 = phi i64 [ 0, %L12 ], [ %v99, %L13 ]
  %v80 = phi double [ %v77, %L12 ], [ %v90, %L13 ]
  %v81 = mul i64 %v14, %v79
  %v82 = add i64 %v12, %v81
  %v83 = mul i64 %v16, %v28
  %v84 = add i64 %v82, %v83
  %v85 = mul i64 %v18, %v74
  %v86 = add i64 %v84, %v85
  %v87 = getelementptr double, ptr %b1, i64 %v86
  %v88 = load double, ptr %v87, align 1, !invariant.load !1
  %v89 = fmul double %v88, %v88
  %v90 = call double @llvm.fma.f64(double %v88, double %v88, double %v80)
  %v91 = call double @llvm.sqrt.f64(double %v90)
  %v92 = mul i64 %v22, %v79
  %v93 = add i64 %v20, %v92
  %v94 = mul i64 %v24, %v28
  %v95 = add i64 %v93, %v94
  %v96 = mul i64 %v26, %v74
  %v97 = add i64 %v95, %v96
  %v98 = getelementptr double, ptr %b2, i64 %v97
  store double %v91, ptr %v98, align 1
  %v99 = add i64 %v79, 1
  %v100 = icmp slt i64 %v99, %v6
  br i1 %v100, label %L13, label %L14
L14:
  %v101 = phi double [ %v77, %L10 ], [ %v90, %L13 ]
  %v102 = add i64 %v10, %v74
  %v103 = getelementptr double, ptr %b0, i64 %v102
  store double %v101, ptr %v103, align 1
  %v104 = add i64 %v74, 1
  %v105 = icmp slt i64 %v104, %v8
  br i1 %v105, label %L10, label %L11
L11:
  %v106 = add i64 %v28, 1
  %v107 = icmp slt i64 %v106, %v4
  br i1 %v107, label %L1, label %L2
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
