//! The fixtures of Direct3D 9 and 11, with functions and parameters as apitrace names them
//! (`specs/d3d9.py`, `d3d11.py`, `dxgi.py`).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use crate::common;
use unspool_formats::apitrace::encode::{EnumSig, FunctionSig, StructSig, Value, Writer};

#[test]
fn fixtures_are_what_the_encoder_writes() {
    common::are_written(&[
        ("tests/fixtures/apitrace/direct3d9.trace", &direct3d9()),
        ("tests/fixtures/apitrace/direct3d11.trace", &direct3d11()),
    ]);
}

const OK: EnumSig<'_> = EnumSig { id: 1, values: &[("D3D_OK", 0)] };
const LEVELS: EnumSig<'_> = EnumSig { id: 2, values: &[("D3D_FEATURE_LEVEL_11_0", 0xb000)] };
const GUID: StructSig<'_> = StructSig { id: 1, name: "GUID", members: &["Data1", "Data2", "Data3", "Data4"] };

/// Functions get their ids as they come.
struct Calls {
    writer: Writer,
    known: Vec<&'static str>,
}

impl Calls {
    fn new(process: &str) -> Self {
        Self { writer: Writer::new(&[("process.name", process)]), known: Vec::new() }
    }

    /// A call with `name = value` arguments.
    fn call(&mut self, name: &'static str, arguments: Vec<(&'static str, Value<'static>)>, result: Value<'static>) {
        let at = self.known.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.known.push(name);
            self.known.len() - 1
        });
        let (names, values): (Vec<_>, Vec<_>) = arguments.into_iter().unzip();
        self.writer.call(0, &FunctionSig { id: at as u64 + 20, name, args: &names }, values, Some(result));
    }

    /// A method that succeeds.
    fn on(&mut self, this: u64, name: &'static str, more: Vec<(&'static str, Value<'static>)>) {
        let arguments = std::iter::once(("this", Value::Pointer(this))).chain(more).collect();
        self.call(name, arguments, Value::Enum(&OK, 0));
    }

    fn release(&mut self, this: u64, name: &'static str, left: u64) {
        self.call(name, vec![("this", Value::Pointer(this))], Value::Uint(left));
    }

    fn finish(self) -> Vec<u8> {
        self.writer.finish()
    }
}

/// `&0x…`
fn out(address: u64) -> Value<'static> {
    Value::Array(vec![Value::Pointer(address)])
}

fn guid(data: u64) -> Value<'static> {
    let rest = Value::Array(vec![Value::Uint(0); 8]);
    Value::Struct(&GUID, vec![Value::Uint(data), Value::Uint(0x4d4d), Value::Uint(0x4b4b), rest])
}

/// Three frames with a texture, a vertex buffer and a shader. The shader is not released.
fn direct3d9() -> Vec<u8> {
    const ROOT: u64 = 0x27e_22b8;
    const DEVICE: u64 = 0x28a_6c40;
    const TEXTURE: u64 = 0x2a0_1000;
    const VERTICES: u64 = 0x2a0_2000;
    const SHADER: u64 = 0x2a0_3000;
    const BACK: u64 = 0x2a0_4000;
    let mut w = Calls::new("C:\\meadow9.exe");
    w.call("Direct3DCreate9", vec![("SDKVersion", Value::Uint(32))], Value::Pointer(ROOT));
    w.on(
        ROOT,
        "IDirect3D9::CreateDevice",
        vec![
            ("Adapter", Value::Uint(0)),
            ("hFocusWindow", Value::Pointer(0x5_0a3c)),
            ("ppReturnedDeviceInterface", out(DEVICE)),
        ],
    );
    let size = || [("Width", Value::Uint(64)), ("Height", Value::Uint(64)), ("Levels", Value::Uint(1))];
    let shared = || ("pSharedHandle", Value::Null);
    w.on(
        DEVICE,
        "IDirect3DDevice9::CreateTexture",
        size().into_iter().chain([("ppTexture", out(TEXTURE)), shared()]).collect(),
    );
    w.on(
        TEXTURE,
        "IDirect3DTexture9::LockRect",
        vec![("Level", Value::Uint(0)), ("pLockedRect", Value::Array(vec![Value::Pointer(0x77_0000)]))],
    );
    w.on(TEXTURE, "IDirect3DTexture9::UnlockRect", vec![("Level", Value::Uint(0))]);
    w.on(
        DEVICE,
        "IDirect3DDevice9::CreateVertexBuffer",
        vec![("Length", Value::Uint(96)), ("ppVertexBuffer", out(VERTICES)), shared()],
    );
    // Memory, and no interface.
    w.on(VERTICES, "IDirect3DVertexBuffer9::Lock", vec![("OffsetToLock", Value::Uint(0)), ("ppbData", out(0x78_0000))]);
    w.on(VERTICES, "IDirect3DVertexBuffer9::Unlock", vec![]);
    w.on(
        DEVICE,
        "IDirect3DDevice9::CreateVertexShader",
        vec![("pFunction", Value::Blob(b"\0\x02\xfe\xff")), ("ppShader", out(SHADER))],
    );
    for _ in 0..3 {
        w.on(
            DEVICE,
            "IDirect3DDevice9::GetBackBuffer",
            vec![("iSwapChain", Value::Uint(0)), ("ppBackBuffer", out(BACK))],
        );
        w.on(
            DEVICE,
            "IDirect3DDevice9::SetRenderTarget",
            vec![("RenderTargetIndex", Value::Uint(0)), ("pRenderTarget", Value::Pointer(BACK))],
        );
        w.release(BACK, "IDirect3DSurface9::Release", 0);
        w.on(DEVICE, "IDirect3DDevice9::Clear", vec![("Count", Value::Uint(0)), ("Color", Value::Uint(0xff20_4060))]);
        w.on(
            DEVICE,
            "IDirect3DDevice9::SetTexture",
            vec![("Stage", Value::Uint(0)), ("pTexture", Value::Pointer(TEXTURE))],
        );
        w.on(DEVICE, "IDirect3DDevice9::SetVertexShader", vec![("pShader", Value::Pointer(SHADER))]);
        w.on(
            DEVICE,
            "IDirect3DDevice9::SetStreamSource",
            vec![
                ("StreamNumber", Value::Uint(0)),
                ("pStreamData", Value::Pointer(VERTICES)),
                ("OffsetInBytes", Value::Uint(0)),
                ("Stride", Value::Uint(32)),
            ],
        );
        w.on(
            DEVICE,
            "IDirect3DDevice9::DrawPrimitive",
            vec![
                ("PrimitiveType", Value::Uint(4)),
                ("StartVertex", Value::Uint(0)),
                ("PrimitiveCount", Value::Uint(1)),
            ],
        );
        w.on(
            DEVICE,
            "IDirect3DDevice9::Present",
            vec![("pSourceRect", Value::Null), ("hDestWindowOverride", Value::Null)],
        );
    }
    w.release(TEXTURE, "IDirect3DTexture9::Release", 0);
    w.release(VERTICES, "IDirect3DVertexBuffer9::Release", 0);
    w.release(DEVICE, "IDirect3DDevice9::Release", 1);
    w.finish()
}

/// Two frames. What is made by one call, and passed in lists.
fn direct3d11() -> Vec<u8> {
    const CHAIN: u64 = 0x1_0001_0000;
    const DEVICE: u64 = 0x1_0002_0000;
    const CONTEXT: u64 = 0x1_0003_0000;
    const BACK: u64 = 0x1_0004_0000;
    const TARGET: u64 = 0x1_0005_0000;
    const BUFFER: u64 = 0x1_0006_0000;
    const CONTEXT1: u64 = 0x1_0007_0000;
    let mut w = Calls::new("C:\\meadow11.exe");
    w.call(
        "D3D11CreateDeviceAndSwapChain",
        vec![
            ("pAdapter", Value::Null),
            ("pFeatureLevels", Value::Array(vec![Value::Enum(&LEVELS, 0xb000)])),
            ("ppSwapChain", out(CHAIN)),
            ("ppDevice", out(DEVICE)),
            ("pFeatureLevel", Value::Array(vec![Value::Enum(&LEVELS, 0xb000)])),
            ("ppImmediateContext", out(CONTEXT)),
        ],
        Value::Enum(&OK, 0),
    );
    w.on(
        CHAIN,
        "IDXGISwapChain::GetBuffer",
        vec![("Buffer", Value::Uint(0)), ("riid", guid(0x6f15_aaf2)), ("ppSurface", out(BACK))],
    );
    w.on(
        DEVICE,
        "ID3D11Device::CreateRenderTargetView",
        vec![("pResource", Value::Pointer(BACK)), ("pDesc", Value::Null), ("ppRTView", out(TARGET))],
    );
    w.release(BACK, "ID3D11Texture2D::Release", 0);
    w.on(
        DEVICE,
        "ID3D11Device::CreateBuffer",
        vec![("pDesc", Value::Null), ("pInitialData", Value::Null), ("ppBuffer", out(BUFFER))],
    );
    w.on(CONTEXT, "ID3D11DeviceContext::QueryInterface", vec![("riid", guid(0xbb2c_6faa)), ("ppvObj", out(CONTEXT1))]);
    for _ in 0..2 {
        w.on(
            CONTEXT,
            "ID3D11DeviceContext::OMSetRenderTargets",
            vec![
                ("NumViews", Value::Uint(1)),
                ("ppRenderTargetViews", out(TARGET)),
                ("pDepthStencilView", Value::Null),
            ],
        );
        w.on(
            CONTEXT,
            "ID3D11DeviceContext::IASetVertexBuffers",
            vec![("StartSlot", Value::Uint(0)), ("NumBuffers", Value::Uint(1)), ("ppVertexBuffers", out(BUFFER))],
        );
        w.on(
            CONTEXT,
            "ID3D11DeviceContext::Draw",
            vec![("VertexCount", Value::Uint(3)), ("StartVertexLocation", Value::Uint(0))],
        );
        w.on(CHAIN, "IDXGISwapChain::Present", vec![("SyncInterval", Value::Uint(1)), ("Flags", Value::Uint(0))]);
    }
    w.release(BUFFER, "ID3D11Buffer::Release", 0);
    w.release(TARGET, "ID3D11RenderTargetView::Release", 0);
    w.finish()
}
