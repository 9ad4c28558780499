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
  %v24 = phi i64 [ 0, %L0 ], [ %v109, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 12
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v73, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr i64, ptr %b0, i64 %v30
  %v32 = load <4 x i64>, ptr %v31, align 1
  %v33 = getelementptr i64, ptr %v31, i64 4
  %v34 = load <4 x i64>, ptr %v33, align 1
  %v35 = getelementptr i64, ptr %v31, i64 8
  %v36 = load <4 x i64>, ptr %v35, align 1
  %v37 = icmp slt i64 0, %v6
  br i1 %v37, label %L6, label %L8
L6:
  br label %L7
L7:
  %v38 = phi i64 [ 0, %L6 ], [ %v64, %L7 ]
  %v39 = phi <4 x i64> [ %v32, %L6 ], [ %v53, %L7 ]
  %v40 = phi <4 x i64> [ %v34, %L6 ], [ %v54, %L7 ]
  %v41 = phi <4 x i64> [ %v36, %L6 ], [ %v55, %L7 ]
  %v42 = mul i64 %v14, %v38
  %v43 = add i64 %v12, %v42
  %v44 = mul i64 %v16, %v24
  %v45 = add i64 %v43, %v44
  %v46 = add i64 %v45, %v29
  %v47 = getelementptr i64, ptr %b1, i64 %v46
  %v48 = load <4 x i64>, ptr %v47, align 1, !invariant.load !1
  %v49 = getelementptr i64, ptr %v47, i64 4
  %v50 = load <4 x i64>, ptr %v49, align 1, !invariant.load !1
  %v51 = getelementptr i64, ptr %v47, i64 8
  %v52 = load <4 x i64>, ptr %v51, align 1, !invariant.load !1
  %v53 = add <4 x i64> %v39, %v48
  %v54 = add <4 x i64> %v40, %v50
  %v55 = add <4 x i64> %v41, %v52
  %v56 = mul i64 %v20, %v38
  %v57 = add i64 %v18, %v56
  %v58 = mul i64 %v22, %v24
  %v59 = add i64 %v57, %v58
  %v60 = add i64 %v59, %v29
  %v61 = getelementptr i64, ptr %b2, i64 %v60
  store <4 x i64> %v53, ptr %v61, align 1
  %v62 = getelementptr i64, ptr %v61, i64 4
  store <4 x i64> %v54, ptr %v62, align 1
  %v63 = getelementptr i64, ptr %v61, i64 8
  store <4 x i64> %v55, ptr %v63, align 1
  %v64 = add i64 %v38, 1
  %v65 = icmp slt i64 %v64, %v6
  br i1 %v65, label %L7, label %L8
L8:
  %v66 = phi <4 x i64> [ %v32, %L4 ], [ %v53, %L7 ]
  %v67 = phi <4 x i64> [ %v34, %L4 ], [ %v54, %L7 ]
  %v68 = phi <4 x i64> [ %v36, %L4 ], [ %v55, %L7 ]
  %v69 = add i64 %v10, %v29
  %v70 = getelementptr i64, ptr %b0, i64 %v69
  store <4 x i64> %v66, ptr %v70, align 1
  %v71 = getelementptr i64, ptr %v70, i64 4
  store <4 x i64> %v67, ptr %v71, align 1
  %v72 = getelementptr i64, ptr %v70, i64 8
  store <4 x i64> %v68, ptr %v72, align 1
  %v73 = add i64 %v29, 12
  %v74 = icmp slt i64 %v73, %v27
  br i1 %v74, label %L4, label %L5
L5:
  %v75 = icmp slt i64 %v27, %v8
  br i1 %v75, label %L9, label %L11
L9:
  br label %L10
L10:
  %v76 = phi i64 [ %v27, %L9 ], [ %v107, %L14 ]
  %v77 = sub i64 %v8, %v76
  %v78 = trunc i64 %v77 to i32
  %v79 = insertelement <4 x i32> poison, i32 %v78, i64 0
  %v80 = shufflevector <4 x i32> %v79, <4 x i32> poison, <4 x i32> zeroinitializer
  %v81 = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %v80
  %v82 = add i64 %v10, %v76
  %v83 = getelementptr i64, ptr %b0, i64 %v82
  %v84 = call <4 x i64> @llvm.masked.load.v4i64.p0(ptr %v83, i32 1, <4 x i1> %v81, <4 x i64> zeroinitializer)
  %v85 = icmp slt i64 0, %v6
  br i1 %v85, label %L12, label %L14
L12:
  br label %L13
L13:
  %v86 = phi i64 [ 0, %L12 ], [ %v102, %L13 ]
  %v87 = phi <4 x i64> [ %v84, %L12 ], [ %v95, %L13 ]
  %v88 = mul i64 %v14, %v86
  %v89 = add i64 %v12, %v88
  %v90 = mul i64 %v16, %v24
  %v91 = add i64 %v89, %v90
  %v92 = add i64 %v91, %v76
  %v93 = getelementptr i64, ptr %b1, i64 %v92
  %v94 = call <4 x i64> @llvm.masked.load.v4i64.p0(ptr %v93, i32 1, <4 x i1> %v81, <4 x i64> zeroinitializer)
  %v95 = add <4 x i64> %v87, %v94
  %v96 = mul i64 %v20, %v86
  %v97 = add i64 %v18, %v96
  %v98 = mul i64 %v22, %v24
  %v99 = add i64 %v97, %v98
  %v100 = add i64 %v99, %v76
  %v101 = getelementptr i64, ptr %b2, i64 %v100
  call void @llvm.masked.store.v4i64.p0(<4 x i64> %v95, ptr %v101, i32 1, <4 x i1> %v81)
  %v102 = add i64 %v86, 1
  %v103 = icmp slt i64 %v102, %v6
  br i1 %v103, label %L13, label %L14
L14:
  %v104 = phi <4 x i64> [ %v84, %L10 ], [ %v95, %L13 ]
  %v105 = add i64 %v10, %v76
  %v106 = getelementptr i64, ptr %b0, i64 %v105
  call void @llvm.masked.store.v4i64.p0(<4 x i64> %v104, ptr %v106, i32 1, <4 x i1> %v81)
  %v107 = add i64 %v76, 4
  %v108 = icmp slt i64 %v107, %v8
  br i1 %v108, label %L10, label %L11
L11:
  %v109 = add i64 %v24, 1
  %v110 = icmp slt i64 %v109, %v4
  br i1 %v110, label %L1, label %L2
L2:
  ret void
}

declare <4 x i64> @llvm.masked.load.v4i64.p0(ptr, i32, <4 x i1>, <4 x i64>)
declare void @llvm.masked.store.v4i64.p0(<4 x i64>, ptr, i32, <4 x i1>)

attributes #0 = { nounwind "target-cpu"="haswell" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2" "prefer-vector-width"="256" "min-legal-vector-width"="256" }
!0 = !{i32 1}
!1 = !{}
