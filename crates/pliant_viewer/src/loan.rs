//! The window's GPU, lent to the simulation: what is computed there is drawn without coming back.

use eframe::egui_wgpu::RenderState;

/// A GPU that the simulation may use beside the window.
#[derive(Clone, Debug)]
pub struct Loan {
    #[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
    pub(crate) gpu: std::sync::Arc<pliant_gpu::Gpu>,
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
impl Loan {
    /// Lends what a window draws with; `None` if nothing can be computed there.
    pub fn of(window: &RenderState) -> Option<Self> {
        Self::on(&window.adapter, (window.device.clone(), window.queue.clone()))
    }

    /// The same for a device without a window.
    pub fn on(
        adapter: &eframe::wgpu::Adapter,
        place: (eframe::wgpu::Device, eframe::wgpu::Queue),
    ) -> Option<Self> {
        pliant_gpu::Gpu::on(adapter, place).ok().map(|gpu| Self { gpu })
    }

    /// Tells the simulation that it is lost.
    pub fn report_lost(&self, why: &str) {
        self.gpu.report_lost(why.to_owned());
    }
}

#[cfg(not(all(feature = "gpu", not(target_arch = "wasm32"))))]
impl Loan {
    /// Nobody computes there.
    pub fn of(_: &RenderState) -> Option<Self> {
        None
    }

    /// Nobody asks.
    pub fn report_lost(&self, _: &str) {}
}

impl PartialEq for Loan {
    fn eq(&self, other: &Self) -> bool {
        #[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
        return std::sync::Arc::ptr_eq(&self.gpu, &other.gpu);
        #[cfg(not(all(feature = "gpu", not(target_arch = "wasm32"))))]
        return std::ptr::eq(self, other);
    }
}
