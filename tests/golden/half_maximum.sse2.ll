target triple = "x86_64-unknown-linux-gnu"

define void @pawl_half_maximum(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {
entry:
  %v0 = getelementptr ptr, ptr %buffers, i64 0
  %b0 = load ptr, ptr %v0, align 8
  %v1 = getelementptr ptr, ptr %buffers, i64 1
  %b1 = load ptr, ptr %v1, align 8
  %v2 = getelementptr i64, ptr %params, i64 0
  %v3 = load i64, ptr %v2, align 8
  %v4 = sub i64 %v3, 0
  %v5 = srem i64 %v4, 4
  %v6 = sub i64 %v3, %v5
  %v7 = icmp slt i64 0, %v6
  br i1 %v7, label %L0, label %L2
L0:
  br label %L1
L1:
  %v8 = phi i64 [ 0, %L0 ], [ %v60, %L1 ]
  %v9 = getelementptr i16, ptr %b0, i64 %v8
  %v10 = load <4 x i16>, ptr %v9, align 1, !invariant.load !1
  %v11 = zext <4 x i16> %v10 to <4 x i32>
  %v12 = and <4 x i32> %v11, splat (i32 32768)
  %v13 = shl <4 x i32> %v12, splat (i32 16)
  %v14 = and <4 x i32> %v11, splat (i32 32767)
  %v15 = shl <4 x i32> %v14, splat (i32 13)
  %v16 = add <4 x i32> %v15, splat (i32 939524096)
  %v17 = add <4 x i32> %v15, splat (i32 1879048192)
  %v18 = icmp ugt <4 x i32> %v14, splat (i32 31744)
  %v19 = or <4 x i32> %v17, splat (i32 4194304)
  %v20 = uitofp <4 x i32> %v14 to <4 x float>
  %v21 = fmul <4 x float> %v20, splat (float 0x3E70000000000000)
  %v22 = bitcast <4 x float> %v21 to <4 x i32>
  %v23 = icmp ugt <4 x i32> %v14, splat (i32 1023)
  %v24 = select <4 x i1> %v23, <4 x i32> %v16, <4 x i32> %v22
  %v25 = icmp ugt <4 x i32> %v14, splat (i32 31743)
  %v26 = select <4 x i1> %v25, <4 x i32> %v17, <4 x i32> %v24
  %v27 = select <4 x i1> %v18, <4 x i32> %v19, <4 x i32> %v26
  %v28 = or <4 x i32> %v27, %v13
  %v29 = bitcast <4 x i32> %v28 to <4 x float>
  %v30 = fcmp olt <4 x float> %v29, splat (float 0x0000000000000000)
  %v31 = select <4 x i1> %v30, <4 x float> splat (float 0x0000000000000000), <4 x float> %v29
  %v32 = fcmp uno <4 x float> splat (float 0x0000000000000000), splat (float 0x0000000000000000)
  %v33 = select <4 x i1> %v32, <4 x float> splat (float 0x0000000000000000), <4 x float> %v31
  %v34 = bitcast <4 x float> %v33 to <4 x i32>
  %v35 = lshr <4 x i32> %v34, splat (i32 16)
  %v36 = and <4 x i32> %v35, splat (i32 32768)
  %v37 = and <4 x i32> %v34, splat (i32 2147483647)
  %v38 = lshr <4 x i32> %v37, splat (i32 13)
  %v39 = and <4 x i32> %v38, splat (i32 1)
  %v40 = add <4 x i32> %v39, splat (i32 4095)
  %v41 = add <4 x i32> %v37, %v40
  %v42 = add <4 x i32> %v41, splat (i32 -939524096)
  %v43 = lshr <4 x i32> %v42, splat (i32 13)
  %v44 = bitcast <4 x i32> %v37 to <4 x float>
  %v45 = fadd <4 x float> %v44, splat (float 0x3FE0000000000000)
  %v46 = bitcast <4 x float> %v45 to <4 x i32>
  %v47 = add <4 x i32> %v46, splat (i32 -1056964608)
  %v48 = icmp ult <4 x i32> %v37, splat (i32 947912704)
  %v49 = lshr <4 x i32> %v37, splat (i32 13)
  %v50 = and <4 x i32> %v49, splat (i32 1023)
  %v51 = or <4 x i32> %v50, splat (i32 32256)
  %v52 = select <4 x i1> %v48, <4 x i32> %v47, <4 x i32> %v43
  %v53 = icmp ugt <4 x i32> %v37, splat (i32 1199566847)
  %v54 = select <4 x i1> %v53, <4 x i32> splat (i32 31744), <4 x i32> %v52
  %v55 = icmp ugt <4 x i32> %v37, splat (i32 2139095040)
  %v56 = select <4 x i1> %v55, <4 x i32> %v51, <4 x i32> %v54
  %v57 = or <4 x i32> %v56, %v36
  %v58 = trunc <4 x i32> %v57 to <4 x i16>
  %v59 = getelementptr i16, ptr %b1, i64 %v8
  store <4 x i16> %v58, ptr %v59, align 1
  %v60 = add i64 %v8, 4
  %v61 = icmp slt i64 %v60, %v6
  br i1 %v61, label %L1, label %L2
L2:
  %v62 = icmp slt i64 %v6, %v3
  br i1 %v62, label %L3, label %L5
L3:
  br label %L4
L4:
  %v63 = phi i64 [ %v6, %L3 ], [ %v115, %L4 ]
  %v64 = getelementptr i16, ptr %b0, i64 %v63
  %v65 = load i16, ptr %v64, align 1, !invariant.load !1
  %v66 = zext i16 %v65 to i32
  %v67 = and i32 %v66, 32768
  %v68 = shl i32 %v67, 16
  %v69 = and i32 %v66, 32767
  %v70 = shl i32 %v69, 13
  %v71 = add i32 %v70, 939524096
  %v72 = add i32 %v70, 1879048192
  %v73 = icmp ugt i32 %v69, 31744
  %v74 = or i32 %v72, 4194304
  %v75 = uitofp i32 %v69 to float
  %v76 = fmul float %v75, 0x3E70000000000000
  %v77 = bitcast float %v76 to i32
  %v78 = icmp ugt i32 %v69, 1023
  %v79 = select i1 %v78, i32 %v71, i32 %v77
  %v80 = icmp ugt i32 %v69, 31743
  %v81 = select i1 %v80, i32 %v72, i32 %v79
  %v82 = select i1 %v73, i32 %v74, i32 %v81
  %v83 = or i32 %v82, %v68
  %v84 = bitcast i32 %v83 to float
  %v85 = fcmp olt float %v84, 0x0000000000000000
  %v86 = select i1 %v85, float 0x0000000000000000, float %v84
  %v87 = fcmp uno float 0x0000000000000000, 0x0000000000000000
  %v88 = select i1 %v87, float 0x0000000000000000, float %v86
  %v89 = bitcast float %v88 to i32
  %v90 = lshr i32 %v89, 16
  %v91 = and i32 %v90, 32768
  %v92 = and i32 %v89, 2147483647
  %v93 = lshr i32 %v92, 13
  %v94 = and i32 %v93, 1
  %v95 = add i32 %v94, 4095
  %v96 = add i32 %v92, %v95
  %v97 = add i32 %v96, -939524096
  %v98 = lshr i32 %v97, 13
  %v99 = bitcast i32 %v92 to float
  %v100 = fadd float %v99, 0x3FE0000000000000
  %v101 = bitcast float %v100 to i32
  %v102 = add i32 %v101, -1056964608
  %v103 = icmp ult i32 %v92, 947912704
  %v104 = lshr i32 %v92, 13
  %v105 = and i32 %v104, 1023
  %v106 = or i32 %v105, 32256
  %v107 = select i1 %v103, i32 %v102, i32 %v98
  %v108 = icmp ugt i32 %v92, 1199566847
  %v109 = select i1 %v108, i32 31744, i32 %v107
  %v110 = icmp ugt i32 %v92, 2139095040
  %v111 = select i1 %v110, i32 %v106, i32 %v109
  %v112 = or i32 %v111, %v91
  %v113 = trunc i32 %v112 to i16
  %v114 = getelementptr i16, ptr %b1, i64 %v63
  store i16 %v113, ptr %v114, align 1
  %v115 = add i64 %v63, 1
  %v116 = icmp slt i64 %v115, %v3
  br i1 %v116, label %L4, label %L5
L5:
  ret void
}


attributes #0 = { nounwind "target-cpu"="x86-64" "target-features"="" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
!0 = !{i32 1}
!1 = !{}
