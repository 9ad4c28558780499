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
  %v24 = phi i64 [ 0, %L0 ], [ %v118, %L11 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 64
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v82, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr float, ptr %b0, i64 %v30
  %v32 = load <16 x float>, ptr %v31, align 1
  %v33 = getelementptr float, ptr %v31, i64 16
  %v34 = load <16 x float>, ptr %v33, align 1
  %v35 = getelementptr float, ptr %v31, i64 32
  %v36 = load <16 x float>, ptr %v35, align 1
  %v37 = getelementptr float, ptr %v31, i64 48
  %v38 = load <16 x float>, ptr %v37, align 1
  %v39 = icmp slt i64 0, %v6
  br i1 %v39, label %L6, label %L8
L6:
  br label %L7
L7:
  %v40 = phi i64 [ 0, %L6 ], [ %v71, %L7 ]
  %v41 = phi <16 x float> [ %v32, %L6 ], [ %v58, %L7 ]
  %v42 = phi <16 x float> [ %v34, %L6 ], [ %v59, %L7 ]
  %v43 = phi <16 x float> [ %v36, %L6 ], [ %v60, %L7 ]
  %v44 = phi <16 x float> [ %v38, %L6 ], [ %v61, %L7 ]
  %v45 = mul i64 %v14, %v40
  %v46 = add i64 %v12, %v45
  %v47 = mul i64 %v16, %v24
  %v48 = add i64 %v46, %v47
  %v49 = add i64 %v48, %v29
  %v50 = getelementptr float, ptr %b1, i64 %v49
  %v51 = load <16 x float>, ptr %v50, align 1, !invariant.load !1
  %v52 = getelementptr float, ptr %v50, i64 16
  %v53 = load <16 x float>, ptr %v52, align 1, !invariant.load !1
  %v54 = getelementptr float, ptr %v50, i64 32
  %v55 = load <16 x float>, ptr %v54, align 1, !invariant.load !1
  %v56 = getelementptr float, ptr %v50, i64 48
  %v57 = load <16 x float>, ptr %v56, align 1, !invariant.load !1
  %v58 = fadd <16 x float> %v41, %v51
  %v59 = fadd <16 x float> %v42, %v53
  %v60 = fadd <16 x float> %v43, %v55
  %v61 = fadd <16 x float> %v44, %v57
  %v62 = mul i64 %v20, %v40
  %v63 = add i64 %v18, %v62
  %v64 = mul i64 %v22, %v24
  %v65 = add i64 %v63, %v64
  %v66 = add i64 %v65, %v29
  %v67 = getelementptr float, ptr %b2, i64 %v66
  store <16 x float> %v58, ptr %v67, align 1
  %v68 = getelementptr float, ptr %v67, i64 16
  store <16 x float> %v59, ptr %v68, align 1
  %v69 = getelementptr float, ptr %v67, i64 32
  store <16 x float> %v60, ptr %v69, align 1
  %v70 = getelementptr float, ptr %v67, i64 48
  store <16 x float> %v61, ptr %v70, align 1
  %v71 = add i64 %v40, 1
  %v72 = icmp slt i64 %v71, %v6
  br i1 %v72, label %L7, label %L8
L8:
  %v73 = phi <16 x float> [ %v32, %L4 ], [ %v58, %L7 ]
  %v74 = phi <16 x float> [ %v34, %L4 ], [ %v59, %L7 ]
  %v75 = phi <16 x float> [ %v36, %L4 ], [ %v60, %L7 ]
  %v76 = phi <16 x float> [ %v38, %L4 ], [ %v61, %L7 ]
  %v77 = add i64 %v10, %v29
  %v78 = getelementptr float, ptr %b0, i64 %v77
  store <16 x float> %v73, ptr %v78, align 1
  %v79 = getelementptr float, ptr %v78, i64 16
  store <16 x float> %v74, ptr %v79, align 1
  %v80 = getelementptr float, ptr %v78, i64 32
  store <16 x float> %v75, ptr %v80, align 1
  %v81 = getelementptr float, ptr %v78, i64 48
  store <16 x float> %v76, ptr %v81, align 1
  %v82 = add i64 %v29, 64
  %v83 = icmp slt i64 %v82, %v27
  br i1 %v83, label %L4, label %L5
L5:
  %v84 = icmp slt i64 %v27, %v8
  br i1 %v84, label %L9, label %L11
L9:
  br label %L10
L10:
  %v85 = phi i64 [ %v27, %L9 ], [ %v116, %L14 ]
  %v86 = sub i64 %v8, %v85
  %v87 = trunc i64 %v86 to i32
  %v88 = insertelement <16 x i32> poison, i32 %v87, i64 0
  %v89 = shufflevector <16 x i32> %v88, <16 x i32> poison, <16 x i32> zeroinitializer
  %v90 = icmp ult <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v89
  %v91 = add i64 %v10, %v85
  %v92 = getelementptr float, ptr %b0, i64 %v91
  %v93 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v92, i32 1, <16 x i1> %v90, <16 x float> zeroinitializer)
  %v94 = icmp slt i64 0, %v6
  br i1 %v94, label %L12, label %L14
L12:
  br label %L13
L13:
  %v95 = phi i64 [ 0, %L12 ], [ %v111, %L13 ]
  %v96 = phi <16 x float> [ %v93, %L12 ], [ %v104, %L13 ]
  %v97 = mul i64 %v14, %v95
  %v98 = add i64 %v12, %v97
  %v99 = mul i64 %v16, %v24
  %v100 = add i64 %v98, %v99
  %v101 = add i64 %v100, %v85
  %v102 = getelementptr float, ptr %b1, i64 %v101
  %v103 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v102, i32 1, <16 x i1> %v90, <16 x float> zeroinitializer)
  %v104 = fadd <16 x float> %v96, %v103
  %v105 = mul i64 %v20, %v95
  %v106 = add i64 %v18, %v105
  %v107 = mul i64 %v22, %v24
  %v108 = add i64 %v106, %v107
  %v109 = add i64 %v108, %v85
  %v110 = getelementptr float, ptr %b2, i64 %v109
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v104, ptr %v110, i32 1, <16 x i1> %v90)
  %v111 = add i64 %v95, 1
  %v112 = icmp slt i64 %v111, %v6
  br i1 %v112, label %L13, label %L14
L14:
  %v113 = phi <16 x float> [ %v93, %L10 ], [ %v104, %L13 ]
  %v114 = add i64 %v10, %v85
  %v115 = getelementptr float, ptr %b0, i64 %v114
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v113, ptr %v115, i32 1, <16 x i1> %v90)
  %v116 = add i64 %v85, 16
  %v117 = icmp slt i64 %v116, %v8
  br i1 %v117, label %L10, label %L11
L11:
  %v118 = add i64 %v24, 1
  %v119 = icmp slt i64 %v118, %v4
  br i1 %v119, label %L1, label %L2
L2:
  ret void
}

declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)

attributes #0 = { nounwind "target-cpu"="skylake-avx512" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,-prefer-256-bit" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
!0 = !{i32 1}
!1 = !{}
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
  %v24 = phi i64 [ 0, %L0 ], [ %v130, %L23 ]
  %v25 = sub i64 %v8, 0
  %v26 = srem i64 %v25, 64
  %v27 = sub i64 %v8, %v26
  %v28 = icmp slt i64 0, %v27
  br i1 %v28, label %L3, label %L5
L3:
  br label %L4
L4:
  %v29 = phi i64 [ 0, %L3 ], [ %v94, %L8 ]
  %v30 = add i64 %v10, %v29
  %v31 = getelementptr float, ptr %b0, i64 %v30
  %v32 = load <16 x float>, ptr %v31, align 1
  %v33 = getelementptr float, ptr %v31, i64 16
  %v34 = load <16 x float>, ptr %v33, align 1
  %v35 = getelementptr float, ptr %v31, i64 32
  %v36 = load <16 x float>, ptr %v35, align 1
  %v37 = getelementptr float, ptr %v31, i64 48
  %v38 = load <16 x float>, ptr %v37, align 1
  %v39 = icmp slt i64 0, %v6
  br i1 %v39, label %L6, label %L8
L6:
  br label %L7
L7:
  %v40 = phi i64 [ 0, %L6 ], [ %v83, %L20 ]
  %v41 = phi <16 x float> [ %v32, %L6 ], [ %v58, %L20 ]
  %v42 = phi <16 x float> [ %v34, %L6 ], [ %v59, %L20 ]
  %v43 = phi <16 x float> [ %v36, %L6 ], [ %v60, %L20 ]
  %v44 = phi <16 x float> [ %v38, %L6 ], [ %v61, %L20 ]
  %v45 = mul i64 %v14, %v40
  %v46 = add i64 %v12, %v45
  %v47 = mul i64 %v16, %v24
  %v48 = add i64 %v46, %v47
  %v49 = add i64 %v48, %v29
  %v50 = getelementptr float, ptr %b1, i64 %v49
  %v51 = load <16 x float>, ptr %v50, align 1, !invariant.load !1
  %v52 = getelementptr float, ptr %v50, i64 16
  %v53 = load <16 x float>, ptr %v52, align 1, !invariant.load !1
  %v54 = getelementptr float, ptr %v50, i64 32
  %v55 = load <16 x float>, ptr %v54, align 1, !invariant.load !1
  %v56 = getelementptr float, ptr %v50, i64 48
  %v57 = load <16 x float>, ptr %v56, align 1, !invariant.load !1
  %v58 = fadd <16 x float> %v41, %v51
  %v59 = fadd <16 x float> %v42, %v53
  %v60 = fadd <16 x float> %v43, %v55
  %v61 = fadd <16 x float> %v44, %v57
  %v62 = mul i64 %v20, %v40
  %v63 = add i64 %v18, %v62
  %v64 = mul i64 %v22, %v24
  %v65 = add i64 %v63, %v64
  %v66 = add i64 %v65, %v29
  %v67 = getelementptr float, ptr %b2, i64 %v66
  %v68 = ptrtoint ptr %v67 to i64
  %v69 = and i64 %v68, 63
  %v70 = icmp eq i64 %v69, 0
  br i1 %v70, label %L9, label %L10
L9:
  store <16 x float> %v58, ptr %v67, align 64, !nontemporal !0
  br label %L11
L10:
  store <16 x float> %v58, ptr %v67, align 1
  br label %L11
L11:
  %v71 = getelementptr float, ptr %v67, i64 16
  %v72 = ptrtoint ptr %v71 to i64
  %v73 = and i64 %v72, 63
  %v74 = icmp eq i64 %v73, 0
  br i1 %v74, label %L12, label %L13
L12:
  store <16 x float> %v59, ptr %v71, align 64, !nontemporal !0
  br label %L14
L13:
  store <16 x float> %v59, ptr %v71, align 1
  br label %L14
L14:
  %v75 = getelementptr float, ptr %v67, i64 32
  %v76 = ptrtoint ptr %v75 to i64
  %v77 = and i64 %v76, 63
  %v78 = icmp eq i64 %v77, 0
  br i1 %v78, label %L15, label %L16
L15:
  store <16 x float> %v60, ptr %v75, align 64, !nontemporal !0
  br label %L17
L16:
  store <16 x float> %v60, ptr %v75, align 1
  br label %L17
L17:
  %v79 = getelementptr float, ptr %v67, i64 48
  %v80 = ptrtoint ptr %v79 to i64
  %v81 = and i64 %v80, 63
  %v82 = icmp eq i64 %v81, 0
  br i1 %v82, label %L18, label %L19
L18:
  store <16 x float> %v61, ptr %v79, align 64, !nontemporal !0
  br label %L20
L19:
  store <16 x float> %v61, ptr %v79, align 1
  br label %L20
L20:
  %v83 = add i64 %v40, 1
  %v84 = icmp slt i64 %v83, %v6
  br i1 %v84, label %L7, label %L8
L8:
  %v85 = phi <16 x float> [ %v32, %L4 ], [ %v58, %L20 ]
  %v86 = phi <16 x float> [ %v34, %L4 ], [ %v59, %L20 ]
  %v87 = phi <16 x float> [ %v36, %L4 ], [ %v60, %L20 ]
  %v88 = phi <16 x float> [ %v38, %L4 ], [ %v61, %L20 ]
  %v89 = add i64 %v10, %v29
  %v90 = getelementptr float, ptr %b0, i64 %v89
  store <16 x float> %v85, ptr %v90, align 1
  %v91 = getelementptr float, ptr %v90, i64 16
  store <16 x float> %v86, ptr %v91, align 1
  %v92 = getelementptr float, ptr %v90, i64 32
  store <16 x float> %v87, ptr %v92, align 1
  %v93 = getelementptr float, ptr %v90, i64 48
  store <16 x float> %v88, ptr %v93, align 1
  %v94 = add i64 %v29, 64
  %v95 = icmp slt i64 %v94, %v27
  br i1 %v95, label %L4, label %L5
L5:
  %v96 = icmp slt i64 %v27, %v8
  br i1 %v96, label %L21, label %L23
L21:
  br label %L22
L22:
  %v97 = phi i64 [ %v27, %L21 ], [ %v128, %L26 ]
  %v98 = sub i64 %v8, %v97
  %v99 = trunc i64 %v98 to i32
  %v100 = insertelement <16 x i32> poison, i32 %v99, i64 0
  %v101 = shufflevector <16 x i32> %v100, <16 x i32> poison, <16 x i32> zeroinitializer
  %v102 = icmp ult <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v101
  %v103 = add i64 %v10, %v97
  %v104 = getelementptr float, ptr %b0, i64 %v103
  %v105 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v104, i32 1, <16 x i1> %v102, <16 x float> zeroinitializer)
  %v106 = icmp slt i64 0, %v6
  br i1 %v106, label %L24, label %L26
L24:
  br label %L25
L25:
  %v107 = phi i64 [ 0, %L24 ], [ %v123, %L25 ]
  %v108 = phi <16 x float> [ %v105, %L24 ], [ %v116, %L25 ]
  %v109 = mul i64 %v14, %v107
  %v110 = add i64 %v12, %v109
  %v111 = mul i64 %v16, %v24
  %v112 = add i64 %v110, %v111
  %v113 = add i64 %v112, %v97
  %v114 = getelementptr float, ptr %b1, i64 %v113
  %v115 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v114, i32 1, <16 x i1> %v102, <16 x float> zeroinitializer)
  %v116 = fadd <16 x float> %v108, %v115
  %v117 = mul i64 %v20, %v107
  %v118 = add i64 %v18, %v117
  %v119 = mul i64 %v22, %v24
  %v120 = add i64 %v118, %v119
  %v121 = add i64 %v120, %v97
  %v122 = getelementptr float, ptr %b2, i64 %v121
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v116, ptr %v122, i32 1, <16 x i1> %v102)
  %v123 = add i64 %v107, 1
  %v124 = icmp slt i64 %v123, %v6
  br i1 %v124, label %L25, label %L26
L26:
  %v125 = phi <16 x float> [ %v105, %L22 ], [ %v116, %L25 ]
  %v126 = add i64 %v10, %v97
  %v127 = getelementptr float, ptr %b0, i64 %v126
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v125, ptr %v127, i32 1, <16 x i1> %v102)
  %v128 = add i64 %v97, 16
  %v129 = icmp slt i64 %v128, %v8
  br i1 %v129, label %L22, label %L23
L23:
  %v130 = add i64 %v24, 1
  %v131 = icmp slt i64 %v130, %v4
  br i1 %v131, label %L1, label %L2
L2:
  call void @llvm.x86.sse.sfence()
  ret void
}

declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)
declare void @llvm.x86.sse.sfence()

attributes #0 = { nounwind "target-cpu"="skylake-avx512" "target-features"="+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,-prefer-256-bit" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
!0 = !{i32 1}
!1 = !{}
