//! The window in a web page. `cargo xtask viewer --web` makes the page, `page.html`, and looks at it.

#[cfg(target_arch = "wasm32")]
fn main() {
    wasm_bindgen_futures::spawn_local(page::open());
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is for web pages: `cargo xtask viewer --web` makes one");
}

#[cfg(target_arch = "wasm32")]
mod page {
    use eframe::wasm_bindgen::{JsCast, JsValue};
    use eframe::web_sys;
    use pliant_viewer::session::Source;

    /// What is shown where the address names no scene, as `?flag` does.
    const SCENE: &str = "showcase";

    /// Shows a scene on the page's canvas, or says why not.
    pub(super) async fn open() {
        let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
        if let Err(error) = show(&document).await
            && let Some(body) = document.body()
        {
            body.set_text_content(Some(&format!("no window could be opened: {error:?}")));
        }
    }

    async fn show(document: &web_sys::Document) -> Result<(), JsValue> {
        let canvas = document.get_element_by_id("pliant").ok_or("the page has no canvas")?;
        let asked = document.location().and_then(|address| address.search().ok());
        let name = asked.as_deref().map_or("", |asked| asked.trim_start_matches('?'));
        let name = if name.is_empty() { SCENE } else { name };
        pliant_viewer::web::open(canvas.dyn_into()?, Source::Quick(name.into())).await
    }
}
