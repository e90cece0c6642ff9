// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coefficients of the elementary functions' polynomials, the lowest power first.
// scripts/math/coefficients.py wrote this file; scripts/math/problems.py says what each polynomial
// approximates.
#pragma once

namespace eft::coefficients {

// Degree 5, error 2^-27.987, ideal 2^-28.916.
constexpr double expF32[] = {0x1p+0,        0x1.fffff8p-2, 0x1.55548cp-3,
                             0x1.555b82p-5, 0x1.123d34p-7, 0x1.686ddap-10};

// Degree 10, error 2^-57.769, ideal 2^-58.041.
constexpr double expF64[] = {0x1p+0,
                             0x1.000000000000bp-1,
                             0x1.5555555555513p-3,
                             0x1.555555555029dp-5,
                             0x1.1111111121b8p-7,
                             0x1.6c16c1852cc22p-10,
                             0x1.a01a0149dcd12p-13,
                             0x1.a01997c4906e5p-16,
                             0x1.71dee0cdb67c6p-19,
                             0x1.28af43dc742bdp-22,
                             0x1.ade97f0af034ep-26};

// Degree 5, error 2^-28.016, ideal 2^-28.916.
constexpr double exp2F32[] = {0x1.62e43p-1,  0x1.ebfbd8p-3,  0x1.c6af74p-5,
                              0x1.3b3094p-7, 0x1.5f0ce8p-10, 0x1.3fb288p-13};

// Degree 10, error 2^-57.382, ideal 2^-58.041.
constexpr double exp2F64[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5a4p-3,  0x1.c6b08d704a121p-5,
                              0x1.3b2ab6fba01b2p-7,  0x1.5d87fe78a1664p-10, 0x1.4309130ebea3fp-13,
                              0x1.ffcbfc5745461p-17, 0x1.62bfc7d79bcd2p-20, 0x1.b5254487f30ccp-24,
                              0x1.e61af478b0964p-28, 0x1.e93e5d04f7dbp-32};

// Degree 5, error 2^-28.334, ideal 2^-28.916.
constexpr double exp10F32[] = {0x1.26bb1cp+1, 0x1.535248p+1, 0x1.046f9ap+1,
                               0x1.2bdbd8p+0, 0x1.156bdp-1,  0x1.a49d74p-3};

// Degree 10, error 2^-57.274, ideal 2^-58.041.
constexpr double exp10F64[] = {0x1.26bb1bbb55516p+1,  0x1.53524c73cea77p+1, 0x1.0470591de2b48p+1,
                               0x1.2bd7609fd506p+0,   0x1.1429ffd21faf5p-1, 0x1.a7ed70a1a32e1p-3,
                               0x1.16e4deeaede2bp-4,  0x1.41165ec51b4b1p-6, 0x1.4899e25e027c6p-8,
                               0x1.2f73fc2276ff1p-10, 0x1.f764ad00f2f75p-13};

// Degree 4, error 2^-26.091, ideal 2^-26.178.
constexpr double expm1F32[] = {0x1.fffffep-2, 0x1.5554bp-3, 0x1.555712p-5, 0x1.12278ep-7,
                               0x1.6b7892p-10};

// Degree 9, error 2^-55.51, ideal 2^-55.627.
constexpr double expm1F64[] = {0x1.0000000000005p-1,  0x1.555555555553bp-3,  0x1.555555555211p-5,
                               0x1.1111111118827p-7,  0x1.6c16c17f2d579p-10, 0x1.a01a0177f4a98p-13,
                               0x1.a019a6a852226p-16, 0x1.71de810c1b2d6p-19, 0x1.28a2872757568p-22,
                               0x1.ae776174fa6d8p-26};

// Degree 7, error 2^-25.178, ideal 2^-25.193.
constexpr double logF32[] = {-0x1.ffffd6p-2, 0x1.5554fcp-2, -0x1.00144ep-2, 0x1.99d398p-3,
                             -0x1.5038ep-3,  0x1.1eaac4p-3, -0x1.3b0c66p-3, 0x1.1f1bfcp-3};

// Degree 19, error 2^-56.82, ideal 2^-56.865.
constexpr double logF64[] = {
    -0x1.ffffffffffff8p-2, 0x1.5555555555531p-2, -0x1.000000000150ap-2, 0x1.99999999a0f2cp-3,
    -0x1.555555535481ep-3, 0x1.249249205dcccp-3, -0x1.000000b1f6fa6p-3, 0x1.c71c742e3ccep-4,
    -0x1.999956022bd5p-4,  0x1.745cb203caacp-4,  -0x1.555d035dbd0dcp-4, 0x1.3b1dfe768a9d9p-4,
    -0x1.2407288c7e12bp-4, 0x1.106642e30739bp-4, -0x1.0627171ecf261p-4, 0x1.efec8f62e27a2p-5,
    -0x1.73675a00cc0c4p-5, 0x1.556549744e164p-5, -0x1.643a545b33074p-4, 0x1.5cb553ba60cbfp-4};

// Degree 2, error 2^-27.905, ideal 2^-27.975.
constexpr double sinF32[] = {-0x1.555546p-3, 0x1.110778p-7, -0x1.9953f8p-13};

// Degree 5, error 2^-57.876, ideal 2^-57.938.
constexpr double sinF64[] = {-0x1.5555555555548p-3, 0x1.111111110f75fp-7,   -0x1.a01a019bf28f9p-13,
                             0x1.71de355f81392p-19, -0x1.ae5e54e5b69eep-26, 0x1.5d8e5b348eae5p-33};

// Degree 2, error 2^-32.994, ideal 2^-33.011.
constexpr double cosF32[] = {0x1.55554ap-5, -0x1.6c0c2ap-10, 0x1.99e916p-16};

// Degree 5, error 2^-63.932, ideal 2^-63.963.
constexpr double cosF64[] = {0x1.555555555554bp-5,  -0x1.6c16c16c15019p-10,
                             0x1.a01a019c8fb7ep-16, -0x1.27e4f7f20b149p-22,
                             0x1.1ee9dc26709f6p-29, -0x1.8fa6b28871d8ep-37};

// Degree 3, error 2^-31.39, ideal 2^-34.165.
constexpr double sinhF32[] = {0x1.555556p-3, 0x1.1110eap-7, 0x1.a01c1p-13, 0x1.767cb2p-19};

// Degree 6, error 2^-61.517, ideal 2^-63.326.
constexpr double sinhF64[] = {0x1.5555555555556p-3,  0x1.111111111104p-7,   0x1.a01a01a0318b9p-13,
                              0x1.71de3a4059a27p-19, 0x1.ae646b4976d3dp-26, 0x1.6118e16de6bf3p-33,
                              0x1.b52e030d64c98p-41};

// Degree 7, error 2^-25.831, ideal 2^-25.836.
constexpr double atanF32[] = {-0x1.5554dcp-2, 0x1.9978eep-3, -0x1.230ab2p-3, 0x1.b4dffcp-4,
                              -0x1.355458p-4, 0x1.61f888p-5, -0x1.0c25c8p-6, 0x1.7ec5f4p-9};

// Degree 19, error 2^-57.586, ideal 2^-57.588.
constexpr double atanF64[] = {
    -0x1.5555555555526p-2, 0x1.99999999955b4p-3,  -0x1.249249237f56ep-3,  0x1.c71c717fcf04fp-4,
    -0x1.745d11ae69449p-4, 0x1.3b1366997e88p-4,   -0x1.110e512079e87p-4,  0x1.e1bba61397311p-5,
    -0x1.ae5e710a3d46ep-5, 0x1.82dad13ffeae9p-5,  -0x1.59a3ed25fa611p-5,  0x1.2c2e3586b5a43p-5,
    -0x1.e9f98945ebff5p-6, 0x1.683c1da015c1ap-6,  -0x1.c78e78955b21fp-7,  0x1.d7b72dc8ceb9p-8,
    -0x1.7a377a4b48b2p-9,  0x1.b3f7a9c30a96ep-11, -0x1.3f337a676892fp-13, 0x1.bbe8eced79a58p-17};

// Degree 4, error 2^-27.617, ideal 2^-27.62.
constexpr double asinF32[] = {0x1.5555c8p-3, 0x1.330206p-4, 0x1.747b74p-5, 0x1.8c412ep-6,
                              0x1.5959e4p-5};

// Degree 12, error 2^-59.861, ideal 2^-59.862.
constexpr double asinF64[] = {0x1.5555555555577p-3, 0x1.333333332e133p-4, 0x1.6db6db72124a3p-5,
                              0x1.f1c71a94fe24ep-6, 0x1.6e8bdedf17be5p-6, 0x1.1c49f06fa316cp-6,
                              0x1.ca1f8be3492b6p-7, 0x1.758594a281145p-7, 0x1.613c5807c5b91p-7,
                              0x1.e5f8208389008p-9, 0x1.639bcbaebcf25p-6, -0x1.57fcbe76ebc8ep-6,
                              0x1.0b468f65d8484p-5};

// Degree 4, error 2^-29.568, ideal 2^-29.592.
constexpr double asinhF32[] = {-0x1.555536p-3, 0x1.3324fap-4, -0x1.6b971ep-5, 0x1.cd748cp-6,
                               -0x1.b18eb6p-7};

// Degree 11, error 2^-60.421, ideal 2^-60.421.
constexpr double asinhF64[] = {-0x1.5555555555541p-3, 0x1.3333333330756p-4,  -0x1.6db6db6ba6288p-5,
                               0x1.f1c71ba9a3dcdp-6,  -0x1.6e8b8ca5753ep-6,  0x1.1c4d2f9a0aa75p-6,
                               -0x1.c972ea2890a32p-7, 0x1.7941e6f839395p-7,  -0x1.386a262426533p-7,
                               0x1.e943c583c11a7p-8,  -0x1.3721ad0908a81p-8, 0x1.c2618840d93fcp-10};

// Degree 5, error 2^-29.418, ideal 2^-29.446.
constexpr double atanhF32[] = {0x1.55554p-2,  0x1.99a672p-3, 0x1.234e02p-3,
                               0x1.e3f85ap-4, 0x1.a6f7cep-5, 0x1.692504p-3};

// Degree 13, error 2^-60.909, ideal 2^-60.959.
constexpr double atanhF64[] = {0x1.555555555554cp-2,  0x1.999999999b38bp-3,  0x1.24924923c7ab7p-3,
                               0x1.c71c722b1ae2ep-4,  0x1.745d08a8ed052p-4,  0x1.3b15124befb55p-4,
                               0x1.10fa691177a26p-4,  0x1.e3eb7b0c28035p-5,  0x1.9e7ab10c92cb1p-5,
                               0x1.e7499a5d36ebp-5,   -0x1.4a62bb3bbcab9p-8, 0x1.64def13edeb99p-3,
                               -0x1.8fba52efb43c4p-3, 0x1.eca98d026c24ep-3};

// Degree 6, error 2^-29.33, ideal 2^-29.619.
constexpr double erfF32[] = {0x1.06eba8p-3, -0x1.81273ep-2,  0x1.ce2cf2p-4, -0x1.b7f88ep-6,
                             0x1.54019p-8,  -0x1.a3d938p-11, 0x1.491b56p-14};

// Degree 12, error 2^-56.334, ideal 2^-62.741.
constexpr double erfF64[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379fdp-2,  0x1.ce2f21a04360fp-4,
                             -0x1.b82ce312ab096p-6,  0x1.565bcd126d236p-8,   -0x1.c02db49213825p-11,
                             0x1.f9a3341dcaa92p-14,  -0x1.f4d31d2ec3915p-17, 0x1.b9ed6cb17d55p-20,
                             -0x1.5f8e18b124463p-23, 0x1.fc0ad90f75829p-27,  -0x1.45221749d2498p-30,
                             0x1.25d261e0aa3a3p-34};

// Degree 6, error 2^-26.664, ideal 2^-29.803.
constexpr double logOfErfcF32[] = {-0x1.d97fcp+0, -0x1.51c99ep+1,  -0x1.afaecep-1, -0x1.53a4c8p-5,
                                   0x1.42239cp-7, -0x1.d4329ep-10, 0x1.70c592p-13};

// Degree 17, error 2^-56.784, ideal 2^-57.025.
constexpr double logOfErfcF64[] = {
    -0x1.d97fbf27aa2a1p+0,  -0x1.51c9b0006c22ap+1,  -0x1.afabc11a2a69dp-1,  -0x1.5477f09a4fe9dp-5,
    0x1.48c9d3956affp-7,    -0x1.033f5bf309b3ep-9,  0x1.f1b0b7cf698f8p-13,  0x1.b92549d104d35p-16,
    -0x1.c843694515b29p-16, 0x1.445cfcb72e518p-17,  -0x1.1d8f266abd80ap-19, 0x1.b14df73a9e2efp-23,
    0x1.ffa5444259066p-25,  -0x1.23bd8c3b47f65p-25, 0x1.29c63c5a0ee7ep-27,  -0x1.7189aa7b2a47cp-30,
    0x1.0c0e005ae8958p-33,  -0x1.5e9d6ceafbb1ap-38};

// Degree 9, error 2^-28.114, ideal 2^-28.129.
constexpr double scaledErfcF32[] = {0x1.40c522p+0, 0x1.a99668p-25, -0x1.15c07cp-3, -0x1.85a12ep-5,
                                    0x1.0982p-3,   -0x1.e88d9cp-4, 0x1.17e99cp-4,  -0x1.8526a8p-6,
                                    0x1.3a46d4p-9, 0x1.dbaf66p-10, -0x1.1f584ep-11};

// Degree 22, error 2^-59.714, ideal 2^-59.883.
constexpr double scaledErfcF64[] = {
    0x1.40c522d7e4987p+0,  0x1.9735b1e89b7c8p-55, -0x1.15c084bb9e8f3p-3,  -0x1.85a15c58aa5c9p-5,
    0x1.098366a5b46dap-3,  -0x1.e88b803a49412p-4, 0x1.17ca2877f079p-4,    -0x1.8574c40bc524dp-6,
    0x1.4b884e458f85ep-9,  0x1.ef1bdd3b6d20ep-10, -0x1.98db5151d323dp-11, -0x1.b9126b81f4985p-14,
    0x1.065a3d46e092cp-13, 0x1.4c20d6c7bd34cp-18, -0x1.513c030a743e2p-16, -0x1.87c8d387e0d4ep-21,
    0x1.d212c2fba2727p-19, 0x1.79e0843aa834cp-22, -0x1.4ab76839818d2p-21, -0x1.1ddb087b1c054p-23,
    0x1.ad45067c641d8p-24, 0x1.1cdc2d574db38p-25, -0x1.7d07ad3356935p-27, -0x1.0d59075324a1ep-28};

// Degree 3, error 2^-41.329, ideal 2^-41.565.
constexpr double atanhTailF32[] = {0x1.999996p-3, 0x1.2495p-3, 0x1.c5bfd2p-4, 0x1.97ea12p-4};

// Degree 7, error 2^-75.203, ideal 2^-75.208.
constexpr double atanhTailF64[] = {0x1.249249249241fp-3, 0x1.c71c71c734fap-4,  0x1.745d1734ee032p-4,
                                   0x1.3b13b775c9507p-4, 0x1.110fb4e5726cbp-4, 0x1.e23ea4892dacdp-5,
                                   0x1.a7c66abf6ffd3p-5, 0x1.d7c8d48c4106p-5};

// Degree 4, error 2^-7.1524, ideal 2^-7.1525.
constexpr double inverseCubeRootF32[] = {0x1.5673a6p+0, -0x1.c36a16p-2, 0x1.bc6f86p-4,
                                         -0x1.a98c9ep-7, 0x1.32dd9cp-11};

// Degree 4, error 2^-7.1525, ideal 2^-7.1525.
constexpr double inverseCubeRootF64[] = {0x1.5673a63e63a5bp+0, -0x1.c36a16f96759ap-2,
                                         0x1.bc6f87fa968efp-4, -0x1.a98ca09826097p-7,
                                         0x1.32dd9e38c1fabp-11};

} // namespace eft::coefficients
