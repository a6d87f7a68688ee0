//! Interfaces of Direct3D and DXGI: objects of which only is followed who makes, uses and releases
//! them.
//!
//! Nearly every call is a method, such as
//! `IDirect3DDevice9::SetTexture(this = 0x…, Stage = 0, pTexture = 0x…)`. apitrace records each
//! interface by its address. Outgoing interfaces are parameters with names that begin with `pp` or
//! `lplp`, the pointer to a pointer of Microsoft's headers. What `QueryInterface` returns shares
//! its reference count with the interface that was asked: they are one object.

use hashbrown::HashMap;

use super::{BINDS, Kind, Resources, What};
use unspool_gl::call::Call;

/// A function of Direct3D or DXGI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Method {
    /// The interface that it belongs to, or '' of a function.
    interface: String,
    /// Whether it may return new interfaces.
    makes: bool,
    /// It gives up a reference.
    is_release: bool,
    /// An interface that it makes shares the reference count of its own object.
    is_query: bool,
    /// What the interfaces that it makes are called, or '' if they may be any.
    made: String,
}

impl Method {
    /// The method with this name. `None` for a function of another interface.
    pub(super) fn of(name: &str) -> Option<Self> {
        let (interface, method) = match name.split_once("::") {
            Some((interface, method)) if interface.starts_with('I') => (interface, method),
            Some(_) => return None,
            None if ["Direct3DCreate", "D3D10Create", "D3D11Create", "CreateDXGI", "DirectDrawCreate"]
                .iter()
                .any(|it| name.starts_with(it)) =>
            {
                ("", name)
            }
            None => return None,
        };
        // `ppbData` of a lock is memory. What is set is there already.
        let makes = ["Create", "Get", "QueryInterface", "Enum", "Open", "EndStateBlock", "FinishCommandList"]
            .iter()
            .any(|word| method.contains(word));
        let made = made(interface, method);
        let (is_release, is_query) = (method == "Release", method == "QueryInterface");
        Some(Self { interface: interface.into(), makes, is_release, is_query, made })
    }
}

/// What a method makes, by its name: `CreateTexture` of `IDirect3DDevice9` makes an
/// `IDirect3DTexture9`.
fn made(interface: &str, method: &str) -> String {
    let what = match method {
        "FinishCommandList" => "CommandList",
        "GetAdapter" => return "IDXGIAdapter".into(),
        _ => method.strip_prefix("Create").unwrap_or_default(),
    };
    if what.is_empty() {
        return String::new();
    }
    let is_device = what == "DeviceEx";
    let what = match what.strip_suffix("Ex").unwrap_or(what) {
        "RenderTarget" | "DepthStencilSurface" | "OffscreenPlainSurface" | "ImageSurface" => "Surface",
        "AdditionalSwapChain" => "SwapChain",
        "DeferredContext" => "DeviceContext",
        other => other,
    };
    if let Some(version) = interface.strip_prefix("IDirect3D").and_then(|rest| rest.chars().find(char::is_ascii_digit))
    {
        return format!("IDirect3D{what}{version}{}", if is_device { "Ex" } else { "" });
    }
    match interface.get(..6) {
        Some(family @ ("ID3D10" | "ID3D11")) => format!("{family}{what}"),
        _ => String::new(),
    }
}

/// The interfaces that a call has made: those of parameters that begin with `pp`, and that of
/// Direct3DCreate9.
fn new_interfaces(call: &Call, method: &Method) -> Vec<u64> {
    if !method.makes || call.is_incomplete {
        return Vec::new();
    }
    let returned = call.result().int().filter(|_| method.interface.is_empty()).map(|address| address as u64);
    call.made().chain(returned).filter(|address| *address >= LOWEST).collect()
}

impl Resources {
    /// A method of Direct3D: which interfaces it makes, uses and releases.
    pub(super) fn method(&mut self, call: &Call, function: u32) {
        let Some(method) = self.methods.remove(&function) else { return };
        let number = call.number;
        let made = new_interfaces(call, &method);
        let this = call.argument(0).int().filter(|_| !method.interface.is_empty()).unwrap_or_default() as u64;
        if this >= LOWEST && !self.live.contains_key(&this) {
            self.create_interface(this, number, false);
        }
        for address in call.numbers() {
            let Some(at) = self.live.get(&address).copied() else { continue };
            let Some(resource) = self.all.get_mut(at as usize) else { continue };
            let last = resource.events.last();
            if last.is_some_and(|event| event.call == number && event.what == What::Used) {
                continue;
            }
            let uses = resource.counts.get(BINDS).copied().unwrap_or_default();
            // What it is called was a guess before.
            if address == this && (uses == 0 || resource.facts.is_empty()) {
                resource.facts.clone_from(&method.interface);
            }
            self.count(at, BINDS, 1);
            // Of a device, nearly every call is a use.
            if uses < MOST_USES {
                self.event(at, number, What::Used);
            } else {
                self.is_full = true;
            }
        }
        for address in made {
            if !self.live.contains_key(&address)
                && let Some(at) = self.create_interface(address, number, true)
                && let Some(resource) = self.all.get_mut(at as usize)
            {
                resource.facts.clone_from(&method.made);
            }
            if method.is_query && address != this {
                self.interfaces.join(address, this);
            }
        }
        if method.is_release && call.result().int() == Some(0) {
            self.released(this, number);
        }
        self.methods.insert(function, method);
    }
}

/// Interfaces that share a reference count with another one.
#[derive(Debug, Default)]
pub(super) struct Interfaces {
    /// The first known interface of the object of each.
    objects: HashMap<u64, u64>,
    /// The others of each object, by its first known one. One that came to another object stays
    /// here, until the object is gone.
    others: HashMap<u64, Vec<u64>>,
    #[cfg(test)]
    visited: usize,
}

impl Interfaces {
    /// The first known interface of the object that an interface belongs to.
    fn object_of(&self, address: u64) -> u64 {
        self.objects.get(&address).copied().unwrap_or(address)
    }

    /// An interface is found to be of the same object as another one.
    fn join(&mut self, address: u64, other: u64) {
        let object = self.object_of(other);
        if self.objects.insert(address, object) != Some(object) {
            self.others.entry(object).or_default().push(address);
        }
    }

    /// Takes all interfaces of an object, the first known one last.
    fn take(&mut self, address: u64) -> Vec<u64> {
        let object = self.object_of(address);
        let mut gone = self.others.remove(&object).unwrap_or_default();
        #[cfg(test)]
        {
            self.visited += 1 + gone.len();
        }
        gone.retain(|other| self.objects.get(other) == Some(&object));
        // One that was of another object in between is there twice.
        gone.sort_unstable();
        gone.dedup();
        for other in &gone {
            self.objects.remove(other);
        }
        gone.push(object);
        gone
    }
}

impl Resources {
    fn create_interface(&mut self, address: u64, call: u64, is_made: bool) -> Option<u32> {
        let at = self.create(0, Kind::Interface, address, call, is_made)?;
        self.live.insert(address, at);
        Some(at)
    }

    /// The last reference to an object is given up: all of its interfaces are gone.
    fn released(&mut self, address: u64, number: u64) {
        for of in self.interfaces.take(address) {
            let Some(at) = self.live.remove(&of) else { continue };
            if let Some(resource) = self.all.get_mut(at as usize) {
                resource.deleted = Some(number);
            }
            self.event(at, number, What::Deleted);
        }
    }
}

/// Limit for the number of uses of an interface. Further ones are only counted.
const MOST_USES: u64 = 1 << 16;
/// No operating system has memory below this: smaller numbers are errors and counts.
const LOWEST: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_say_what_they_make() {
        let made = |name: &str| Method::of(name).map(|it| it.made);
        assert_eq!(made("IDirect3DDevice9::CreateTexture").as_deref(), Some("IDirect3DTexture9"));
        assert_eq!(made("IDirect3DDevice9Ex::CreateRenderTargetEx").as_deref(), Some("IDirect3DSurface9"));
        assert_eq!(made("IDirect3D9Ex::CreateDeviceEx").as_deref(), Some("IDirect3DDevice9Ex"));
        assert_eq!(made("IDirect3DDevice8::CreateImageSurface").as_deref(), Some("IDirect3DSurface8"));
        assert_eq!(made("ID3D11Device::CreateTexture2D").as_deref(), Some("ID3D11Texture2D"));
        assert_eq!(made("ID3D11Device::CreateDeferredContext").as_deref(), Some("ID3D11DeviceContext"));
        assert_eq!(made("ID3D11Device3::CreateRasterizerState2").as_deref(), Some("ID3D11RasterizerState2"));
        assert_eq!(made("IDXGIFactory::CreateSwapChain").as_deref(), Some(""));
        assert_eq!(made("IDXGISwapChain::GetBuffer").as_deref(), Some(""));
        assert_eq!(made("IDXGIDevice::GetAdapter").as_deref(), Some("IDXGIAdapter"));
        assert_eq!(made("ID3D11DeviceContext::FinishCommandList").as_deref(), Some("ID3D11CommandList"));
        assert_eq!(made("glCreateShader"), None);
        assert_eq!(made("glXCreateContext"), None);
    }

    #[test]
    fn a_release_costs_the_same_with_any_number_of_interfaces() {
        let mut resources = Resources::default();
        for object in 0..25_000 {
            resources.interfaces.join(4 * object + 1, 4 * object);
            // One that was of another object before, and an interface of an interface.
            resources.interfaces.join(4 * object + 2, 4 * object + 400);
            resources.interfaces.join(4 * object + 2, 4 * object + 1);
        }
        assert_eq!(resources.interfaces.take(1), [1, 2, 0]);
        for object in 1..25_000 {
            resources.released(4 * object + 2, 7);
        }
        assert!(resources.interfaces.visited <= 100_000, "{}", resources.interfaces.visited);
        assert!(resources.interfaces.objects.is_empty());
    }

    #[test]
    fn only_some_methods_make_interfaces() {
        let makes = |name: &str| Method::of(name).map(|it| it.makes);
        assert_eq!(makes("Direct3DCreate9"), Some(true));
        assert_eq!(makes("D3D11CreateDeviceAndSwapChain"), Some(true));
        assert_eq!(makes("IDirect3DVertexBuffer9::Lock"), Some(false));
        assert_eq!(makes("ID3D11DeviceContext::VSSetConstantBuffers"), Some(false));
        assert_eq!(makes("ID3D11DeviceContext::OMGetRenderTargets"), Some(true));
    }
}
