//! Functions that are not executed, and why: those that need no handler, and those that are
//! refused. Each function of `gl.xml`, GLX, WGL, EGL and CGL is in one of these lists unless it has
//! a handler.

/// Why a function has no handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It changes no picture, or only what draws with a reason of their own depend on.
    Needless(&'static str),
    /// It may change pictures, and is not executed. What is charged with that, and why: half a
    /// sentence.
    Refused(Charged, &'static str),
}

/// What lacks something because a function is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charged {
    /// The call, which draws.
    Draw,
    /// The primitive that is begun: it lacks vertices.
    Primitive,
    /// Nothing that is known: the function is listed.
    Function,
}

use Charged::{Draw, Function, Primitive};

/// A reason, and the functions that it holds for: names without the prefix `gl`, in which `*`
/// stands for any letters.
type Row = (&'static str, &'static str);

const NEEDLESS: &[Row] = &[
    (
        "it asks for something",
        "Get* Is* AreTexturesResident* AreProgramsResidentNV CheckFramebufferStatus* CheckNamedFramebufferStatus* \
         QueryMatrixxOES QueryObjectParameteruiAMD QueryResource*NV ValidateProgram* ExtGet*QCOM ExtIs*QCOM TestFence* \
         TestObjectAPPLE PollAsyncSGIX PollInstrumentsSGIX ReadInstrumentsSGIX",
    ),
    (
        "it waits or measures",
        "Flush Finish FinishFence* FinishObjectAPPLE FenceSync* ClientWaitSync* WaitSync* DeleteSync* SetFence* \
         DeleteFences* CreateSyncFromCLeventARB ImportSyncEXT BeginQuery* EndQuery* DeleteQueries* QueryCounter* *PerfMonitor* \
         SelectPerfMonitorCountersAMD *PerfQueryINTEL FinishAsyncSGIX *AsyncMarkersSGIX AsyncMarkerSGIX \
         StartInstrumentsSGIX StopInstrumentsSGIX InstrumentsBufferSGIX FinishTextureSUNX BeginOcclusionQueryNV \
         EndOcclusionQueryNV DeleteOcclusionQueriesNV GenOcclusionQueriesNV CreateProgressFenceNVX",
    ),
    (
        "what a query has found hidden, the depth test hides as well",
        "BeginConditionalRender BeginConditionalRenderNV BeginConditionalRenderNVX EndConditionalRender \
         EndConditionalRenderNV EndConditionalRenderNVX",
    ),
    (
        "objects come to be when they are bound",
        "GenBuffers* GenFramebuffers* GenLists GenProgramPipelines* GenPrograms* GenQueries* GenRenderbuffers* \
         GenSamplers GenTextures* GenTransformFeedbacks* GenVertexArrays* GenFences* GenSemaphoresEXT \
         GenVertexShadersEXT GenSymbolsEXT GenNamesAMD CreateBuffers CreateFramebuffers CreateProgramPipelines \
         CreateQueries CreateRenderbuffers CreateSamplers CreateTransformFeedbacks CreateVertexArrays",
    ),
    (
        "nothing uses the object any more",
        "DeleteShader DeleteObjectARB DeleteProgramsARB DeleteProgramsNV DeleteProgramPipelines* \
         DeleteTransformFeedbacks* DeleteSemaphoresEXT DeleteMemoryObjectsEXT DeleteNamedStringARB \
         DeleteVertexShaderEXT DeleteNamesAMD DeleteAsyncMarkersSGIX ReleaseShaderCompiler",
    ),
    (
        "it labels something",
        "DebugMessage* PushDebugGroup* PopDebugGroup* ObjectLabel* ObjectPtrLabel* LabelObjectEXT InsertEventMarkerEXT \
         PushGroupMarkerEXT PopGroupMarkerEXT StringMarkerGREMEDY",
    ),
    (
        "it advises",
        "Hint HintPGI Invalidate* DiscardFramebufferEXT MemoryBarrier* TextureBarrier* BlendBarrier* \
         FramebufferFetchBarrier* PrioritizeTextures* MaxShaderCompilerThreads* LockArraysEXT UnlockArraysEXT \
         VertexArrayRange*APPLE FlushVertexArrayRange* VertexArrayParameteriAPPLE TextureRangeAPPLE BufferParameteriAPPLE \
         ObjectPurgeableAPPLE ObjectUnpurgeableAPPLE PrimitiveBoundingBox* ProgramParameteri* RequestResidentProgramsNV \
         StartTilingQCOM EndTilingQCOM EvaluateDepthValuesARB FramebufferParameteri NamedFramebufferParameteri \
         NamedFramebufferParameteriEXT TagSampleBufferSGIX ResizeBuffersMESA FlushStaticDataIBM FlushRasterSGIX \
         ReferencePlaneSGIX SubpixelPrecisionBiasNV TexPageCommitment* TexturePageCommitmentEXT \
         BufferPageCommitment* NamedBufferPageCommitment* DeformSGIX SyncTextureINTEL BlendParameteriNV",
    ),
    ("the trace has what was written", "FlushMappedBufferRange* FlushMappedNamedBufferRange*"),
    (
        "windows have one sample a pixel here",
        "SampleCoverage* SampleMask* SamplePattern* MinSampleShading* RasterSamplesEXT FramebufferSample* \
         NamedFramebufferSample* ResolveDepthValuesNV SetMultisamplefvAMD CoverageMaskNV CoverageOperationNV \
         CoverageModulation*NV",
    ),
    ("polygons with stipple are refused", "PolygonStipple"),
    ("draws with patches are refused", "PatchParameter*"),
    ("draws with two sides of stencils are refused", "ActiveStencilFaceEXT"),
    (
        "draws with assembly programs are refused",
        "ProgramString* ProgramLocalParameter* ProgramEnvParameter* NamedProgramLocalParameter* NamedProgramString* \
         BindProgramARB BindProgramNV ProgramNamedParameter*NV ProgramParameter4*NV ProgramParameters4*NV LoadProgramNV \
         TrackMatrixNV ExecuteProgramNV ProgramBufferParameters*NV ProgramVertexLimitNV ProgramSubroutineParameters*NV",
    ),
    ("draws with program pipelines are refused", "UseProgramStages* ActiveShaderProgram ActiveShaderProgramEXT"),
    (
        "what transform feedback writes is refused where it is read",
        "TransformFeedbackVaryings* TransformFeedbackAttribsNV TransformFeedbackStreamAttribsNV ActiveVaryingNV \
         EndTransformFeedback* PauseTransformFeedback* ResumeTransformFeedback* BindTransformFeedback*",
    ),
    ("programs with shader storage are refused", "ShaderStorageBlockBinding"),
    (
        "shaders with numbers of 64 bits are refused",
        "Uniform?i64* Uniform?ui64* ProgramUniform?i64* ProgramUniform?ui64* VertexAttribL* VertexArrayVertexAttribL* \
         VertexArrayAttribLFormat",
    ),
    ("shaders with subroutines are refused", "UniformSubroutinesuiv"),
    (
        "evaluators are refused where they make vertices",
        "Map1* Map2* MapGrid* MapVertexAttrib* EnableVertexAttribAPPLE DisableVertexAttribAPPLE",
    ),
    ("pixel rectangles are refused", "RasterPos* WindowPos* PixelZoom*"),
    ("pixel maps are refused where they are enabled", "PixelMap*"),
    ("the accumulation buffer is refused", "ClearAccum*"),
    (
        "selection and feedback draw nothing",
        "SelectBuffer FeedbackBuffer* InitNames LoadName PushName PopName PassThrough*",
    ),
    ("windows have no colour indices here", "Index* ClearIndex IndexMask"),
    ("edges matter to polygons that are drawn as lines only", "EdgeFlag* VertexArrayEdgeFlagOffsetEXT"),
    ("an array of colour indices", "VertexArrayIndexOffsetEXT"),
    ("it matters to what is read back only", "ClampColor*"),
    ("nothing has implemented the extension", "Binormal* Tangent*"),
    ("colour tables of textures are refused where they are used", "ReadBufferIndexedEXT"),
    ("it points to an array that only refused draws read", "ElementPointerAPPLE ElementPointerATI"),
];

const REFUSED: &[(Charged, Row)] = &[
    (Draw, ("draws of transform feedback are not in WebGL2", "DrawTransformFeedback*")),
    (Draw, ("mesh shaders are not in WebGL2", "DrawMeshTasks* MultiDrawMeshTasks*")),
    (Draw, ("evaluators are not replayed", "EvalMesh*")),
    (Primitive, ("evaluators are not replayed", "EvalCoord* EvalPoint*")),
    (Draw, ("the accumulation buffer is not replayed", "Accum*")),
    (Draw, ("pixel rectangles are not replayed", "DrawPixels Bitmap* CopyPixels")),
    (Draw, ("textures drawn as rectangles are not replayed", "DrawTex*OES DrawTextureNV DrawVkImageNV")),
    (Draw, ("element arrays are not replayed", "*Draw*ElementArray*")),
    (Draw, ("bindless draws are not replayed", "MultiDraw*Bindless*NV DrawCommands*NV CallCommandListNV")),
    (Draw, ("draws of several modes are not replayed", "MultiModeDraw*IBM")),
    (Draw, ("meshes are not replayed", "DrawMeshArraysSUN")),
    (
        Draw,
        (
            "paths are not replayed",
            "StencilFillPath*NV StencilStrokePath*NV CoverFillPath*NV CoverStrokePath*NV StencilThenCover*NV",
        ),
    ),
    (Primitive, ("vertices with all that belongs to them are not replayed", "*Vertex?*SUN ReplacementCode*SUN")),
    (Primitive, ("streams of vertices are not replayed", "VertexStream*ATI")),
    (Primitive, ("vertices of half floats are not replayed", "Vertex?h*NV VertexAttrib?h*NV VertexAttribs*NV")),
    (Function, ("memory of other APIs is not in the trace", MEMORY)),
    (Function, ("vertex shaders of GL_EXT_vertex_shader are not replayed", VERTEX_SHADER)),
    (Function, ("the imaging subset is not replayed", IMAGING)),
    (
        Function,
        (
            "weights and palettes of matrices are not replayed",
            "*Weight?vARB Weight??vARB WeightPointer* MatrixIndex* VertexBlendARB VertexBlendEnv* CurrentPaletteMatrix* \
             LoadPaletteFromModelViewMatrixOES VertexWeight*",
        ),
    ),
    (Function, ("bindable uniforms are not replayed", "UniformBufferEXT")),
    (Function, ("arrays of point sizes are not replayed", "PointSizePointerOES")),
    (
        Function,
        ("light textures are not replayed", "ApplyTextureEXT TextureLightEXT TextureMaterialEXT TextureNormalEXT"),
    ),
    (Function, ("textures made of renderbuffers are not replayed", "TextureRenderbufferEXT MultiTexRenderbufferEXT")),
    (Function, ("clipping by rectangles of windows is not in WebGL2", "WindowRectanglesEXT")),
    (Function, ("culling in GL_EXT_cull_vertex is not replayed", "CullParameter*")),
    (Function, ("the stencil clear tag is not replayed", "StencilClearTagEXT")),
    (Function, ("buffers of several views are not in WebGL2", "DrawBuffersIndexedEXT *MultiviewOVR")),
    (Function, ("memory of tiles is not in WebGL2", "ClearPixelLocalStorageuiEXT FramebufferPixelLocalStorageSizeEXT")),
    (
        Function,
        (
            "programs of GL_EXT_separate_shader_objects of 2009 are not replayed",
            "UseShaderProgramEXT ActiveProgramEXT CreateShaderProgramEXT",
        ),
    ),
    (Function, ("programs made of one shader are not replayed", "CreateShaderProgramv*")),
    (Function, ("includes of shaders are not replayed", "NamedStringARB CompileShaderIncludeARB")),
    (Function, ("colours are cleared as floats only", "ClearColorIi* ClearColorIui*")),
    (Function, ("copies of levels of GL_APPLE_copy_texture_levels are not replayed", "CopyTextureLevelsAPPLE")),
    (
        Function,
        (
            "copies of samples of GL_APPLE_framebuffer_multisample are not replayed",
            "ResolveMultisampleFramebufferAPPLE",
        ),
    ),
    (
        Function,
        (
            "resident textures are not in WebGL2",
            "MakeTextureHandle* MakeImageHandle* MakeBuffer*ResidentNV MakeNamedBuffer*ResidentNV",
        ),
    ),
    (
        Function,
        (
            "this extension of one vendor is not replayed",
            "*NV *NVX *ATI *SUN *SGIX *SGIS *SGI *AMD *QCOM *INTEL *IBM *MESA *HP *IMG *3DFX *OVR",
        ),
    ),
];

const MEMORY: &str = "ImportMemory* ImportSemaphore* *KeyedMutexWin32EXT MemoryObjectParameter* CreateMemoryObjectsEXT \
     SemaphoreParameter* SignalSemaphore* WaitSemaphore* BufferStorageExternalEXT NamedBufferStorageExternalEXT \
     BufferStorageMemEXT NamedBufferStorageMemEXT TexStorageMem* TextureStorageMem* EGLImageTargetTexStorageEXT \
     EGLImageTargetTextureStorageEXT EGLImageTargetRenderbufferStorageOES TexStorageAttribs*";

const VERTEX_SHADER: &str = "BeginVertexShaderEXT EndVertexShaderEXT BindVertexShaderEXT BindLightParameterEXT \
     BindMaterialParameterEXT BindParameterEXT BindTexGenParameterEXT BindTextureUnitParameterEXT ShaderOp?EXT \
     SwizzleEXT WriteMaskEXT InsertComponentEXT ExtractComponentEXT SetInvariantEXT SetLocalConstantEXT Variant* \
     EnableVariantClientStateEXT DisableVariantClientStateEXT";

const IMAGING: &str = "ColorTable* ColorSubTable* CopyColorTable* CopyColorSubTable* ConvolutionFilter* \
     ConvolutionParameter* CopyConvolutionFilter* SeparableFilter2D* Histogram* Minmax* ResetHistogram* ResetMinmax* \
     PixelTransformParameter*";

/// The same for functions of windows, with all of their names.
const NEEDLESS_OF_WINDOWS: &[Row] = &[
    (
        "it asks for something",
        "glXGet* glXQuery* glXChoose* glXIsDirect glXEnumerate* eglGet* eglQuery* eglChooseConfig wglGet* wglQuery* \
         wglChoose* wglEnum* wglDescribeLayerPlane wglIs* CGLGet* CGLIsEnabled CGLQuery* CGLDescribe* \
         CGLChoosePixelFormat CGLErrorString GetPixelFormat GetEnhMetaFilePixelFormat ChoosePixelFormat \
         DescribePixelFormat",
    ),
    (
        "it waits, or sets the pace of swaps",
        "glXWait* eglWait* eglClientWaitSync* eglClientSignalSyncEXT eglUnsignalSyncEXT eglSignalSync* eglCreate*Sync* \
         eglDestroySync* eglFenceNV eglDupNativeFenceFDANDROID wglWaitFor* glXSwapInterval* wglSwapIntervalEXT \
         eglSwapInterval glXDelayBeforeSwapNV wglDelayBeforeSwapNV glX*SwapGroup* wgl*SwapGroup* glX*SwapBarrier* \
         wgl*SwapBarrier* glXResetFrameCountNV wglResetFrameCountNV wgl*Genlock* wgl*FrameLock* wgl*FrameTracking* \
         eglPresentationTimeANDROID CGLLockContext CGLUnlockContext",
    ),
    (
        "windows come to be when they are made current",
        "glXCreateWindow glXDestroyWindow glXCreate*Pixmap* glXDestroy*Pixmap glXCreate*Pbuffer* glXDestroy*Pbuffer* \
         eglCreate*Surface* eglCreatePbufferFromClientBuffer eglDestroySurface wgl*Pbuffer* CGLCreatePBuffer \
         CGLDestroyPBuffer CGLSetPBuffer CGLReleasePBuffer CGLRetainPBuffer CGLSetOffScreen CGLSetFullScreen* \
         CGLSetSurface CGLClearDrawable CGLUpdateContext CGLSetVirtualScreen",
    ),
    (
        "it concerns displays and formats of pixels",
        "eglInitialize eglTerminate SetPixelFormat CGLDestroyPixelFormat CGLRetainPixelFormat CGLReleasePixelFormat \
         CGLDestroyRendererInfo glXSelectEvent* eglSurfaceAttrib eglLockSurfaceKHR eglUnlockSurfaceKHR \
         eglSetDamageRegionKHR eglSetBlobCacheFuncsANDROID eglDebugMessageControlKHR eglLabelObjectKHR \
         eglBindWaylandDisplayWL eglUnbindWaylandDisplayWL eglOutput*AttribEXT eglCompositor* CGLEnable CGLDisable \
         CGLSetParameter CGLSetOption CGLSetGlobalOption glXSet3DfxModeMESA glXReleaseBuffersMESA glXCushionSGI \
         wgl*GammaTable* wgl*DigitalVideoParameters* wglSetStereoEmitterState3DL wgl*LayerPalette* wglSetLayerPaletteEntries \
         wgl*DisplayColorTable* wglAllocateMemoryNV wglFreeMemoryNV \
         wglCreateAffinityDCNV wglDeleteDCNV glX*Hyperpipe* CGLRetainContext CGLReleaseContext glXFreeContextEXT",
    ),
    (
        "the tracer uploads what an image holds where it becomes a texture",
        "eglCreateImage* eglDestroyImage* eglCreateDRMImageMESA eglExport* eglCreateNativeClientBufferANDROID \
         eglCreateWaylandBufferFromImageWL",
    ),
    ("the texture keeps what it holds", "glXReleaseTexImageEXT wglReleaseTexImageARB eglReleaseTexImage"),
    ("it shows a part of a window", "glXCopySubBufferMESA eglPostSubBufferNV eglCopyBuffers"),
    ("it captures or shows video", "glX*Video* wgl*Video* glX*Channel* glXAssociateDMPbufferSGIX"),
];

const REFUSED_OF_WINDOWS: &[Row] = &[
    ("copies of state between contexts are not replayed", "glXCopyContext wglCopyContext CGLCopyContext"),
    ("contexts of other processes are not in the trace", "glXImportContextEXT"),
    ("copies between contexts are not replayed", "*CopyImageSubDataNV *CopyBufferSubDataNV *BlitContextFramebufferAMD"),
    ("contexts of one GPU are not replayed", "*Associated*"),
    ("objects of Direct3D are not in the trace", "wglDX*"),
    ("regions of windows are not replayed", "wgl*BufferRegionARB"),
    ("image buffers are not replayed", "wgl*ImageBuffer*"),
    ("streams of images are not in the trace", "egl*Stream*"),
];

/// Why a function has no handler. `None` if it is in neither list.
pub(crate) fn absence(name: &str) -> Option<Absence> {
    let is_window = name.starts_with("glX") || !name.starts_with("gl");
    let find = |rows: &[Row], name: &str| rows.iter().find(|(_, all)| is_among(name, all)).map(|(reason, _)| *reason);
    if is_window {
        let needless = find(NEEDLESS_OF_WINDOWS, name).map(Absence::Needless);
        return needless.or_else(|| find(REFUSED_OF_WINDOWS, name).map(|reason| Absence::Refused(Function, reason)));
    }
    let bare = name.strip_prefix("gl")?;
    find(NEEDLESS, bare).map(Absence::Needless).or_else(|| {
        let found = REFUSED.iter().find(|(_, (_, all))| is_among(bare, all));
        found.map(|(charged, (reason, _))| Absence::Refused(*charged, reason))
    })
}

fn is_among(name: &str, patterns: &str) -> bool {
    patterns.split_ascii_whitespace().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
}

/// Whether a name is as a pattern says: `*` stands for any letters, `?` for one of them.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|at| matches(rest, name.get(at..).unwrap_or_default())),
        ([b'?', pattern @ ..], [_, name @ ..]) => matches(pattern, name),
        ([a, pattern @ ..], [b, name @ ..]) => a == b && matches(pattern, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn patterns_are_those_of_files() {
        let matches = |pattern: &str, name: &str| matches(pattern.as_bytes(), name.as_bytes());
        assert!(matches("Uniform?d", "Uniform4d") && matches("*NV", "FooNV") && matches("A*", "A"));
        assert!(!matches("Uniform?d", "Uniform4dv") && !matches("A*B", "AC") && !matches("?", ""));
        assert!(matches("*Draw*Array*", "MultiDrawElementArrayAPPLE"));
    }

    /// A pattern that none of the functions has is wrong, or a rest.
    #[test]
    fn each_pattern_is_that_of_a_function() {
        let (windows, own): (Vec<&str>, Vec<&str>) =
            names().into_iter().partition(|name| name.starts_with("glX") || !name.starts_with("gl"));
        let own: Vec<&str> = own.iter().filter_map(|name| name.strip_prefix("gl")).collect();
        let rows = NEEDLESS.iter().chain(REFUSED.iter().map(|(_, row)| row)).map(|row| (row, &own));
        let of_windows = NEEDLESS_OF_WINDOWS.iter().chain(REFUSED_OF_WINDOWS).map(|row| (row, &windows));
        let mut unused = Vec::new();
        for ((_, patterns), all) in rows.chain(of_windows) {
            let is_unused = |pattern: &&str| !all.iter().any(|name| is_among(name, pattern));
            unused.extend(patterns.split_ascii_whitespace().filter(is_unused));
        }
        assert_eq!(unused, Vec::<&str>::new());
    }
}
