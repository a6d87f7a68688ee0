//! Frames and interfaces of Direct3D.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use crate::common::{fixture, indexed};
use unspool_formats::apitrace::encode::{Details, FunctionSig, Value, Writer};
use unspool_graphics::Survey;
use unspool_graphics::frames::FIGURES;
use unspool_graphics::resources::{Resources, What};

fn surveyed(name: &str) -> Survey<Vec<u8>> {
    let (index, file) = indexed(fixture(name));
    let mut survey = Survey::open(&index, file).unwrap();
    while !survey.step(1).unwrap() {}
    survey
}

/// What is called so, with when it was created and released, the number of calls that use it, and
/// whether it is a leak.
type Listed<'a> = (&'a str, u64, u64, Option<u64>, u64, bool);

fn listed(survey: &Survey<Vec<u8>>) -> Vec<Listed<'_>> {
    let all = survey.resources().all().iter();
    all.map(|it| (it.facts.as_str(), it.name, it.created, it.deleted, it.counts[1], Resources::is_leaked(it))).collect()
}

#[test]
fn interfaces_of_direct3d_9_are_followed() {
    let survey = surveyed("apitrace/direct3d9.trace");
    let frames = survey.frames().frames();
    assert_eq!(
        frames.iter().map(|frame| (frame.first, frame.last)).collect::<Vec<_>>(),
        [(0, 17), (18, 26), (27, 35), (36, 38)]
    );
    let expected = [
        ("IDirect3D9", 0x27e_22b8, 0, None, 1, true),
        ("IDirect3DDevice9", 0x28a_6c40, 1, None, 28, true),
        ("IDirect3DTexture9", 0x2a0_1000, 2, Some(36), 6, false),
        ("IDirect3DVertexBuffer9", 0x2a0_2000, 5, Some(37), 6, false),
        ("IDirect3DVertexShader9", 0x2a0_3000, 8, None, 3, true),
        // Its address is that of another object each time.
        ("IDirect3DSurface9", 0x2a0_4000, 9, Some(11), 2, false),
        ("IDirect3DSurface9", 0x2a0_4000, 18, Some(20), 2, false),
        ("IDirect3DSurface9", 0x2a0_4000, 27, Some(29), 2, false),
    ];
    assert_eq!(listed(&survey), expected);
    let texture: Vec<(u64, What)> = survey.resources().all()[2].events.iter().map(|it| (it.call, it.what)).collect();
    let expected = [
        (2, What::Created),
        (3, What::Used),
        (4, What::Used),
        (13, What::Used),
        (22, What::Used),
        (31, What::Used),
        (36, What::Used),
        (36, What::Deleted),
    ];
    assert_eq!(texture, expected);
    // A frame that sets the texture uses it.
    assert!(survey.resources().used(18, 26).contains(&2));
}

#[test]
fn interfaces_of_direct3d_11_are_followed() {
    let survey = surveyed("apitrace/direct3d11.trace");
    let expected = [
        ("IDXGISwapChain", 0x1_0001_0000, 0, None, 3, true),
        ("ID3D11Device", 0x1_0002_0000, 0, None, 2, true),
        ("ID3D11DeviceContext", 0x1_0003_0000, 0, None, 7, true),
        ("ID3D11Texture2D", 0x1_0004_0000, 1, Some(3), 2, false),
        ("ID3D11RenderTargetView", 0x1_0005_0000, 2, Some(15), 3, false),
        ("ID3D11Buffer", 0x1_0006_0000, 4, Some(14), 3, false),
        // What it is, no call has said.
        ("", 0x1_0007_0000, 5, None, 0, true),
    ];
    assert_eq!(listed(&survey), expected);
    assert_eq!(survey.frames().frames().len(), 3);
}

#[test]
fn interfaces_that_share_a_reference_count_go_together() {
    let method = |id, name, args| FunctionSig { id, name, args };
    let (device, dxgi, adapter, context, list) = (0x10_0000, 0x10_0018, 0x20_0000, 0x30_0000, 0x40_0000);
    let made = |address| Value::Array(vec![Value::Pointer(address)]);
    let ok = || Some(Value::Int(0));
    let mut w = Writer::new(&[]);
    let create = method(0, "D3D11CreateDevice", &["pAdapter", "ppDevice", "ppImmediateContext"][..]);
    w.call(0, &create, vec![Value::Null, made(device), made(context)], ok());
    let query = method(1, "ID3D11Device::QueryInterface", &["this", "ppvObject"]);
    w.call(0, &query, vec![Value::Pointer(device), made(dxgi)], ok());
    let get = method(2, "IDXGIDevice::GetAdapter", &["this", "pAdapter"]);
    w.call(0, &get, vec![Value::Pointer(dxgi), made(adapter)], ok());
    let clear = method(3, "ID3D11DeviceContext::ClearDepthStencilView", &["this"]);
    w.call(0, &clear, vec![Value::Pointer(context)], None);
    let finish = method(4, "ID3D11DeviceContext::FinishCommandList", &["this", "ppCommandList"]);
    w.call(0, &finish, vec![Value::Pointer(context), made(list)], ok());
    let release = |w: &mut Writer, id, name, address, left| {
        w.call(0, &method(id, name, &["this"]), vec![Value::Pointer(address)], Some(Value::Uint(left)));
    };
    release(&mut w, 5, "IDXGIDevice::Release", dxgi, 1);
    release(&mut w, 6, "IDXGIAdapter::Release", adapter, 0);
    release(&mut w, 7, "ID3D11CommandList::Release", list, 0);
    release(&mut w, 8, "ID3D11Device::Release", device, 0);
    let (index, file) = indexed(w.finish());
    let mut survey = Survey::open(&index, file).unwrap();
    while !survey.step(1).unwrap() {}
    let ends: Vec<_> = listed(&survey).into_iter().map(|it| (it.0, it.1, it.2, it.3)).collect();
    let expected = [
        ("ID3D11Device", device, 0, Some(8)),
        ("ID3D11DeviceContext", context, 0, None),
        ("IDXGIDevice", dxgi, 1, Some(8)),
        ("IDXGIAdapter", adapter, 2, Some(6)),
        ("ID3D11CommandList", list, 4, Some(7)),
    ];
    assert_eq!(ends, expected);
    let clears = FIGURES.iter().position(|it| it.key == "clears").unwrap();
    assert_eq!(survey.frames().frames()[0].figures[clears], 1);
}

/// Two frames: one records a command list, the other one executes it twice.
fn deferred() -> Vec<u8> {
    let method = |id, name, args| FunctionSig { id, name, args };
    let (device, now, later, list) = (0x10_0000, 0x30_0000, 0x30_1000, 0x40_0000);
    let made = |address| Value::Array(vec![Value::Pointer(address)]);
    let mut w = Writer::new(&[]);
    // What a call returns is recorded when it does.
    let returns = |w: &mut Writer, sig: &FunctionSig<'_>, this, address| {
        let call = w.enter(0, sig, &Details::args([Value::Pointer(this), Value::Uint(0)]));
        w.leave(call, &Details { args: vec![(2, made(address))], ..Details::result(Value::Int(0)) });
    };
    let defer = method(0, "ID3D11Device::CreateDeferredContext", &["this", "ContextFlags", "ppDeferredContext"][..]);
    returns(&mut w, &defer, device, later);
    let draw = method(1, "ID3D11DeviceContext::Draw", &["this", "VertexCount", "StartVertexLocation"]);
    let clear = method(2, "ID3D11DeviceContext::ClearRenderTargetView", &["this", "pRenderTargetView"]);
    for context in [later, later, now] {
        w.call(0, &draw, vec![Value::Pointer(context), Value::Uint(3), Value::Uint(0)], None);
    }
    w.call(0, &clear, vec![Value::Pointer(later), Value::Pointer(0x50_0000)], None);
    let finish = method(3, "ID3D11DeviceContext::FinishCommandList", &["this", "Restore", "ppCommandList"]);
    returns(&mut w, &finish, later, list);
    let present = method(4, "IDXGISwapChain::Present", &["this"]);
    w.call(0, &present, vec![Value::Pointer(0x60_0000)], Some(Value::Int(0)));
    let execute = method(5, "ID3D11DeviceContext::ExecuteCommandList", &["this", "pCommandList", "Restore"]);
    for _ in 0..2 {
        w.call(0, &execute, vec![Value::Pointer(now), Value::Pointer(list), Value::Bool(false)], None);
    }
    w.call(0, &present, vec![Value::Pointer(0x60_0000)], Some(Value::Int(0)));
    w.finish()
}

#[test]
fn what_a_deferred_context_draws_counts_where_its_list_is_executed() {
    let (index, file) = indexed(deferred());
    let mut survey = Survey::open(&index, file).unwrap();
    while !survey.step(1).unwrap() {}
    let figures = |frame: usize| {
        ["draws", "clears", "uncounted"].map(|key| {
            let at = FIGURES.iter().position(|it| it.key == key).unwrap();
            survey.frames().frames()[frame].figures[at]
        })
    };
    assert_eq!(figures(0), [1, 0, 1]);
    assert_eq!(figures(1), [4, 2, 4]);
}
