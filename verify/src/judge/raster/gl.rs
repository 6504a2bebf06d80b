//! OpenGL without a window, on Mesa's software rasteriser. `libEGL.so.1` is loaded at run time, so that the build has no dependency on it.
//!
//! Safety rests on two arguments. First, every call passes pointers to slices or buffers that outlive the call, with counts taken from their lengths,
//! and functions have the types of the specifications of OpenGL 4.5 and EGL 1.5 (registry headers). Second, shaders are foreign code that a
//! driver compiles. Whatever it does to its process affects only this process, which exists only for the rasteriser.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_void};

type Handle = *mut c_void;
type Enum = u32;

const EGL_PLATFORM_SURFACELESS_MESA: Enum = 0x31dd;
const EGL_OPENGL_API: Enum = 0x30a2;
const EGL_OPENGL_BIT: i32 = 8;
const EGL_RENDERABLE_TYPE: i32 = 0x3040;
const EGL_SURFACE_TYPE: i32 = 0x3033;
const EGL_NONE: i32 = 0x3038;
const EGL_MAJOR: i32 = 0x3098;
const EGL_MINOR: i32 = 0x30fb;
const EGL_PROFILE: i32 = 0x30fd;
const EGL_COMPATIBILITY: i32 = 2;

const VERTEX_SHADER: Enum = 0x8b31;
const FRAGMENT_SHADER: Enum = 0x8b30;
const SPIRV: Enum = 0x9551;
const COMPILE_STATUS: Enum = 0x8b81;
const LINK_STATUS: Enum = 0x8b82;
const INFO_LOG_LENGTH: Enum = 0x8b84;
const ARRAY_BUFFER: Enum = 0x8892;
const UNIFORM_BUFFER: Enum = 0x8a11;
const FEEDBACK_BUFFER: Enum = 0x8c8e;
const INTERLEAVED: Enum = 0x8c8c;
const DISCARD: Enum = 0x8c89;
const STATIC_DRAW: Enum = 0x88e4;
const FLOAT: Enum = 0x1406;
const POINTS: Enum = 0;
const RENDERER: Enum = 0x1f01;
const TEXTURE_2D: Enum = 0x0de1;
const RGBA: Enum = 0x1908;
const RGBA32F: i32 = 0x8814;
const FRAMEBUFFER: Enum = 0x8d40;
const COMPLETE: Enum = 0x8cd5;
const COLOR_ATTACHMENT: Enum = 0x8ce0;
const COLOR: Enum = 0x1800;
const CLAMP_VERTEX_COLOR: Enum = 0x891a;
const CLAMP_FRAGMENT_COLOR: Enum = 0x891b;
const INVALID_INDEX: u32 = u32::MAX;
/// The size of the buffer for a compiler's message, in bytes with the final NUL. Longer messages are cut.
const MAX_LOG_LENGTH: i32 = 4000;

macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions { $($field: unsafe extern "system" fn($($argument),*) $(-> $result)?,)* }

        impl Functions {
            fn load(find: impl Fn(&CStr) -> *const c_void) -> Result<Functions, String> {
                Ok(Functions { $($field: {
                    let at = find($name);
                    if at.is_null() {
                        return Err(format!("OpenGL lacks the function {}", $name.to_string_lossy()));
                    }
                    // SAFETY: the OpenGL specification gives the function of this name this type.
                    unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn($($argument),*) $(-> $result)?>(at) }
                },)* })
            }
        }
    };
}

functions! {
    get_string = c"glGetString": fn(Enum) -> *const u8;
    create_shader = c"glCreateShader": fn(Enum) -> u32;
    shader_source = c"glShaderSource": fn(u32, i32, *const *const c_char, *const i32);
    compile_shader = c"glCompileShader": fn(u32);
    shader_binary = c"glShaderBinary": fn(i32, *const u32, Enum, *const c_void, i32);
    specialize_shader = c"glSpecializeShaderARB": fn(u32, *const c_char, u32, *const u32, *const u32);
    get_shader = c"glGetShaderiv": fn(u32, Enum, *mut i32);
    shader_log = c"glGetShaderInfoLog": fn(u32, i32, *mut i32, *mut c_char);
    delete_shader = c"glDeleteShader": fn(u32);
    create_program = c"glCreateProgram": fn() -> u32;
    attach_shader = c"glAttachShader": fn(u32, u32);
    feedback_varyings = c"glTransformFeedbackVaryings": fn(u32, i32, *const *const c_char, Enum);
    link_program = c"glLinkProgram": fn(u32);
    get_program = c"glGetProgramiv": fn(u32, Enum, *mut i32);
    program_log = c"glGetProgramInfoLog": fn(u32, i32, *mut i32, *mut c_char);
    use_program = c"glUseProgram": fn(u32);
    delete_program = c"glDeleteProgram": fn(u32);
    attribute = c"glGetAttribLocation": fn(u32, *const c_char) -> i32;
    uniform = c"glGetUniformLocation": fn(u32, *const c_char) -> i32;
    fragment_output = c"glGetFragDataLocation": fn(u32, *const c_char) -> i32;
    uniform_floats = c"glUniform4fv": fn(i32, i32, *const f32);
    uniform_matrix = c"glUniformMatrix4fv": fn(i32, i32, u8, *const f32);
    uniform_ints = c"glUniform4iv": fn(i32, i32, *const i32);
    uniform_bools = c"glUniform1iv": fn(i32, i32, *const i32);
    block = c"glGetUniformBlockIndex": fn(u32, *const c_char) -> u32;
    block_binding = c"glUniformBlockBinding": fn(u32, u32, u32);
    gen_buffers = c"glGenBuffers": fn(i32, *mut u32);
    delete_buffers = c"glDeleteBuffers": fn(i32, *const u32);
    bind_buffer = c"glBindBuffer": fn(Enum, u32);
    bind_buffer_base = c"glBindBufferBase": fn(Enum, u32, u32);
    buffer_data = c"glBufferData": fn(Enum, isize, *const c_void, Enum);
    read_buffer = c"glGetBufferSubData": fn(Enum, isize, isize, *mut c_void);
    gen_arrays = c"glGenVertexArrays": fn(i32, *mut u32);
    delete_arrays = c"glDeleteVertexArrays": fn(i32, *const u32);
    bind_array = c"glBindVertexArray": fn(u32);
    attribute_pointer = c"glVertexAttribPointer": fn(u32, i32, Enum, u8, i32, *const c_void);
    enable_attribute = c"glEnableVertexAttribArray": fn(u32);
    enable = c"glEnable": fn(Enum);
    disable = c"glDisable": fn(Enum);
    begin_feedback = c"glBeginTransformFeedback": fn(Enum);
    end_feedback = c"glEndTransformFeedback": fn();
    draw_arrays = c"glDrawArrays": fn(Enum, i32, i32);
    gen_textures = c"glGenTextures": fn(i32, *mut u32);
    delete_textures = c"glDeleteTextures": fn(i32, *const u32);
    bind_texture = c"glBindTexture": fn(Enum, u32);
    image = c"glTexImage2D": fn(Enum, i32, i32, i32, i32, i32, Enum, Enum, *const c_void);
    gen_framebuffers = c"glGenFramebuffers": fn(i32, *mut u32);
    delete_framebuffers = c"glDeleteFramebuffers": fn(i32, *const u32);
    bind_framebuffer = c"glBindFramebuffer": fn(Enum, u32);
    framebuffer_texture = c"glFramebufferTexture2D": fn(Enum, Enum, Enum, u32, i32);
    framebuffer_status = c"glCheckFramebufferStatus": fn(Enum) -> Enum;
    draw_buffers = c"glDrawBuffers": fn(i32, *const Enum);
    read_buffer_of = c"glReadBuffer": fn(Enum);
    clear = c"glClearBufferfv": fn(Enum, i32, *const f32);
    viewport = c"glViewport": fn(i32, i32, i32, i32);
    read_pixels = c"glReadPixels": fn(i32, i32, i32, i32, Enum, Enum, *mut c_void);
    clamp_color = c"glClampColor": fn(Enum, Enum);
    error = c"glGetError": fn() -> Enum;
}

/// An OpenGL context without a window. The functions of the context are called only on the thread that opened it.
pub(super) struct Gl {
    f: Functions,
    renderer: String,
    /// The framebuffer object that vertices are drawn to and whose content is discarded. Without a window there is no default framebuffer.
    discard_framebuffer: u32,
    /// Keeps the library loaded as long as the functions may be called.
    _egl: libloading::Library,
}

/// A vector of four floats, as bits.
pub(super) type Row = [u32; 4];

/// A shader.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// GLSL.
    Text(&'a str),
    /// SPIR-V, and the name of its entry point.
    Words(&'a [u32], &'a str),
}

/// How a variable of a shader is identified.
#[derive(Clone, Copy)]
pub(super) enum VarId<'a> {
    /// A variable, by name.
    Name(&'a str),
    /// A variable by its location, or a uniform block by its binding.
    Number(u32),
}

impl std::fmt::Display for VarId<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            VarId::Name(name) => write!(f, "{name}"),
            VarId::Number(location) => write!(f, "location {location}"),
        }
    }
}

/// The value of a uniform.
pub(super) enum Uniform<'a> {
    /// A vector of floats, or an array of them.
    Floats(&'a [Row]),
    /// The columns of a matrix.
    Matrix(&'a [Row; 4]),
    /// A vector of integers, or an array of them.
    Ints(&'a [[i32; 4]]),
    /// A Boolean, or an array of them.
    Bools(&'a [bool]),
    /// A uniform block that is an array of vectors.
    Block(&'a [Row]),
}

/// A linked program, deleted when this value is dropped.
pub(super) struct Program<'a> {
    gl: &'a Gl,
    id: u32,
    /// The number of uniform blocks that were given a binding because they were set by name.
    blocks: std::cell::Cell<u32>,
    /// The buffers to be deleted with the program.
    buffers: std::cell::RefCell<Vec<u32>>,
}

impl Gl {
    /// Opens the software rasteriser.
    ///
    /// # Errors
    /// Why there is no rasteriser.
    pub(super) fn open() -> Result<Gl, String> {
        // SAFETY: loading runs only the initialisers of libEGL and of its dependencies, which are trusted as system libraries.
        let egl = unsafe { libloading::Library::new("libEGL.so.1") }
            .map_err(|error| format!("libEGL.so.1 does not load: {error}"))?;
        macro_rules! egl {
            ($name:literal: fn($($argument:ty),*) -> $result:ty) => {{
                // SAFETY: the EGL specification gives the function of this name this type.
                let symbol = unsafe { egl.get::<unsafe extern "system" fn($($argument),*) -> $result>($name) };
                *symbol.map_err(|error| format!("libEGL.so.1: {error}"))?
            }};
        }
        let find = egl!(b"eglGetProcAddress": fn(*const c_char) -> *const c_void);
        let display = egl!(b"eglGetPlatformDisplay": fn(Enum, Handle, *const isize) -> Handle);
        let initialize = egl!(b"eglInitialize": fn(Handle, *mut i32, *mut i32) -> u32);
        let bind = egl!(b"eglBindAPI": fn(Enum) -> u32);
        let choose = egl!(b"eglChooseConfig": fn(Handle, *const i32, *mut Handle, i32, *mut i32) -> u32);
        let create = egl!(b"eglCreateContext": fn(Handle, Handle, Handle, *const i32) -> Handle);
        let make_current = egl!(b"eglMakeCurrent": fn(Handle, Handle, Handle, Handle) -> u32);
        let nothing = std::ptr::null_mut();
        // SAFETY: as declared; lists end with EGL_NONE, and results are written to locals that outlive the calls.
        unsafe {
            let display = display(EGL_PLATFORM_SURFACELESS_MESA, nothing, std::ptr::null());
            if display.is_null() || initialize(display, nothing.cast(), nothing.cast()) == 0 {
                return Err("EGL has no display without a window".to_owned());
            }
            if bind(EGL_OPENGL_API) == 0 {
                return Err("EGL has no OpenGL".to_owned());
            }
            let wanted = [EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE];
            let (mut config, mut count) = (nothing, 0);
            if choose(display, wanted.as_ptr(), &raw mut config, 1, &raw mut count) == 0 || count < 1 {
                return Err("EGL has no configuration for OpenGL".to_owned());
            }
            let wanted = [EGL_MAJOR, 4, EGL_MINOR, 5, EGL_PROFILE, EGL_COMPATIBILITY, EGL_NONE];
            let context = create(display, config, nothing, wanted.as_ptr());
            if context.is_null() || make_current(display, nothing, nothing, context) == 0 {
                return Err("EGL has no context of OpenGL 4.5 with the compatibility profile".to_owned());
            }
        }
        // SAFETY: the name ends with NUL.
        let f = Functions::load(|name| unsafe { find(name.as_ptr()) })?;
        // SAFETY: a context is current; the string, if any, is static.
        let renderer = unsafe {
            let text = (f.get_string)(RENDERER);
            if text.is_null() {
                return Err("OpenGL does not name its renderer".to_owned());
            }
            CStr::from_ptr(text.cast()).to_string_lossy().into_owned()
        };
        if !["llvmpipe", "softpipe"].iter().any(|name| renderer.contains(name)) {
            return Err(format!("OpenGL is {renderer}, and not Mesa's software rasteriser"));
        }
        let (mut texture, mut discard_framebuffer) = (0, 0);
        // SAFETY: a context is current; one name each is written.
        unsafe {
            (f.clamp_color)(CLAMP_VERTEX_COLOR, 0);
            (f.clamp_color)(CLAMP_FRAGMENT_COLOR, 0);
            (f.gen_textures)(1, &raw mut texture);
            (f.bind_texture)(TEXTURE_2D, texture);
            (f.image)(TEXTURE_2D, 0, RGBA32F, 1, 1, 0, RGBA, FLOAT, std::ptr::null());
            (f.gen_framebuffers)(1, &raw mut discard_framebuffer);
            (f.bind_framebuffer)(FRAMEBUFFER, discard_framebuffer);
            (f.framebuffer_texture)(FRAMEBUFFER, COLOR_ATTACHMENT, TEXTURE_2D, texture, 0);
        }
        Ok(Gl { f, renderer, discard_framebuffer, _egl: egl })
    }

    /// Returns the rasteriser's own name and version.
    pub(super) fn renderer(&self) -> &str {
        &self.renderer
    }

    /// Compiles and links shaders. `feedback` names the outputs of the vertex shader that are recorded; a shader in SPIR-V names them itself.
    ///
    /// # Errors
    /// If a name is not valid, or the shaders do not compile or link: the messages of compiler and linker.
    pub(super) fn program(
        &self,
        vertex: Source<'_>,
        fragment: Option<Source<'_>>,
        feedback: &[&str],
    ) -> Result<Program<'_>, String> {
        self.clear_errors();
        // SAFETY: a context is current; strings end with NUL or are given with their lengths.
        let id = unsafe { (self.f.create_program)() };
        let program =
            Program { gl: self, id, blocks: std::cell::Cell::new(0), buffers: std::cell::RefCell::default() };
        let stages = [(VERTEX_SHADER, Some(vertex)), (FRAGMENT_SHADER, fragment)];
        for (stage, source) in stages.into_iter().filter_map(|(stage, source)| Some((stage, source?))) {
            let shader = self.compile(stage, source)?;
            // SAFETY: both were just made. The shader is deleted with the program.
            unsafe {
                (self.f.attach_shader)(id, shader);
                (self.f.delete_shader)(shader);
            }
        }
        let names = feedback.iter().map(|name| text(name)).collect::<Result<Vec<CString>, _>>()?;
        let pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let mut linked = 0;
        // SAFETY: as above; `pointers` has as many elements as stated.
        unsafe {
            if !pointers.is_empty() {
                (self.f.feedback_varyings)(id, length(&pointers)?, pointers.as_ptr(), INTERLEAVED);
            }
            (self.f.link_program)(id);
            (self.f.get_program)(id, LINK_STATUS, &raw mut linked);
        }
        if linked == 0 {
            let log = Self::log(
                |name, value| {
                    // SAFETY: the program was just made, and one number is written.
                    unsafe { (self.f.get_program)(id, name, value) }
                },
                |most, at| {
                    // SAFETY: there is room for as many characters as stated.
                    unsafe { (self.f.program_log)(id, most, std::ptr::null_mut(), at) }
                },
            );
            return Err(format!("it does not link: {log}"));
        }
        Ok(program)
    }

    /// Clears the errors that earlier programs left. OpenGL keeps at most one error of each kind.
    fn clear_errors(&self) {
        // SAFETY: a context is current.
        let _ = (0..16).take_while(|_| unsafe { (self.f.error)() } != 0).count();
    }

    fn compile(&self, stage: Enum, source: Source<'_>) -> Result<u32, String> {
        let mut compiled = 0;
        let shader = match source {
            Source::Text(source) => {
                let (at, bytes) = (source.as_ptr().cast::<c_char>(), length(source.as_bytes())?);
                // SAFETY: one string with its length.
                unsafe {
                    let shader = (self.f.create_shader)(stage);
                    (self.f.shader_source)(shader, 1, &raw const at, &raw const bytes);
                    (self.f.compile_shader)(shader);
                    shader
                }
            }
            Source::Words(words, entry) => {
                let (entry, bytes) = (text(entry)?, length(words)?.saturating_mul(4));
                // SAFETY: one shader, as many bytes as the words have, a string that ends with NUL, and no constants.
                unsafe {
                    let shader = (self.f.create_shader)(stage);
                    (self.f.shader_binary)(1, &raw const shader, SPIRV, words.as_ptr().cast(), bytes);
                    (self.f.specialize_shader)(shader, entry.as_ptr(), 0, std::ptr::null(), std::ptr::null());
                    shader
                }
            }
        };
        // SAFETY: the shader was just made, and one number is written.
        unsafe { (self.f.get_shader)(shader, COMPILE_STATUS, &raw mut compiled) };
        if compiled != 0 {
            return Ok(shader);
        }
        let log = Self::log(
            |name, value| {
                // SAFETY: the shader was just made, and one number is written.
                unsafe { (self.f.get_shader)(shader, name, value) }
            },
            |most, at| {
                // SAFETY: there is room for as many characters as stated.
                unsafe { (self.f.shader_log)(shader, most, std::ptr::null_mut(), at) }
            },
        );
        // SAFETY: the shader was just made.
        unsafe { (self.f.delete_shader)(shader) };
        Err(format!("it does not compile: {log}"))
    }

    /// Reads a compiler message.
    fn log(get: impl Fn(Enum, *mut i32), read: impl Fn(i32, *mut c_char)) -> String {
        let mut count = 0;
        get(INFO_LOG_LENGTH, &raw mut count);
        let count = count.clamp(1, MAX_LOG_LENGTH);
        let mut bytes = vec![0u8; usize::try_from(count).unwrap_or(1)];
        read(count, bytes.as_mut_ptr().cast());
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
    }
}

impl Program<'_> {
    /// Sets a uniform. Does nothing if the uniform is inactive, that is, no instruction reads it.
    ///
    /// # Errors
    /// If a name is not valid, or OpenGL rejects the value or the location.
    pub(super) fn set(&self, place: VarId<'_>, value: &Uniform<'_>) -> Result<(), String> {
        let f = &self.gl.f;
        // SAFETY: the program is linked and current; every array has as many elements as stated.
        unsafe {
            (f.use_program)(self.id);
            if let Uniform::Block(rows) = value {
                let (binding, block) = match place {
                    VarId::Number(binding) => (binding, format!("a block at binding {binding}")),
                    VarId::Name(name) => {
                        let index = (f.block)(self.id, text(name)?.as_ptr());
                        if index == INVALID_INDEX {
                            return Ok(());
                        }
                        let binding = self.blocks.replace(self.blocks.get() + 1);
                        (f.block_binding)(self.id, index, binding);
                        (binding, format!("the block '{name}'"))
                    }
                };
                let buffer = self.buffer(UNIFORM_BUFFER, rows)?;
                (f.bind_buffer_base)(UNIFORM_BUFFER, binding, buffer);
                return self.check_error().map_err(|error| format!("{error} for {block}"));
            }
            let at = match place {
                VarId::Number(location) => i32::try_from(location).unwrap_or(-1),
                VarId::Name(name) => (f.uniform)(self.id, text(name)?.as_ptr()),
            };
            match value {
                _ if at < 0 => {}
                Uniform::Floats(rows) => (f.uniform_floats)(at, length(rows)?, rows.as_ptr().cast()),
                Uniform::Matrix(columns) => (f.uniform_matrix)(at, 1, 0, columns.as_ptr().cast()),
                Uniform::Ints(rows) => (f.uniform_ints)(at, length(rows)?, rows.as_ptr().cast()),
                Uniform::Bools(all) => {
                    let all: Vec<i32> = all.iter().map(|one| i32::from(*one)).collect();
                    (f.uniform_bools)(at, length(&all)?, all.as_ptr());
                }
                Uniform::Block(_) => {}
            }
        }
        self.check_error().map_err(|error| format!("{error} for a uniform at {place}"))
    }

    /// Creates a buffer with these rows, which is deleted with the program.
    fn buffer(&self, target: Enum, rows: &[Row]) -> Result<u32, String> {
        let (f, mut id) = (&self.gl.f, 0);
        let bytes = isize::try_from(size_of_val(rows)).map_err(|error| error.to_string())?;
        // SAFETY: one name is written, and as many bytes are read as the rows have.
        unsafe {
            (f.gen_buffers)(1, &raw mut id);
            (f.bind_buffer)(target, id);
            (f.buffer_data)(target, bytes, rows.as_ptr().cast(), STATIC_DRAW);
        }
        self.buffers.borrow_mut().push(id);
        Ok(id)
    }

    /// Sets attributes to arrays, with one row for each vertex. Named attributes that the program does not read are skipped.
    fn attributes(&self, attributes: &[(VarId<'_>, Vec<Row>)]) -> Result<(), String> {
        for (place, rows) in attributes {
            let f = &self.gl.f;
            // SAFETY: the attribute takes one row of four floats for each vertex from the bound buffer.
            unsafe {
                let at = match place {
                    VarId::Number(location) => *location,
                    VarId::Name(name) => match u32::try_from((f.attribute)(self.id, text(name)?.as_ptr())) {
                        Ok(at) => at,
                        Err(_) => continue,
                    },
                };
                self.buffer(ARRAY_BUFFER, rows)?;
                (f.attribute_pointer)(at, 4, FLOAT, 0, 0, std::ptr::null());
                (f.enable_attribute)(at);
            }
        }
        Ok(())
    }

    /// Runs the vertex shader on `count` vertices. Returns its recorded outputs, `width` numbers for each vertex. Each attribute has `count` rows.
    ///
    /// # Errors
    /// If OpenGL rejects a call.
    pub(super) fn vertices(
        &self,
        attributes: &[(VarId<'_>, Vec<Row>)],
        count: usize,
        width: usize,
    ) -> Result<Vec<u32>, String> {
        let f = &self.gl.f;
        let rows = vec![[0u32; 4]; (count * width).div_ceil(4).max(1)];
        let vertices = i32::try_from(count).map_err(|error| error.to_string())?;
        let mut all = vec![0u32; count * width];
        let bytes = isize::try_from(size_of_val(all.as_slice())).map_err(|error| error.to_string())?;
        let array = Objects::generate(1, f.gen_arrays, &f.delete_arrays)?;
        // SAFETY: the arrays have a row for each vertex, the buffer has room for all outputs, and no more is read back.
        unsafe {
            (f.bind_array)(array.ids[0]);
            self.attributes(attributes)?;
            let buffer = self.buffer(FEEDBACK_BUFFER, &rows)?;
            (f.bind_buffer_base)(FEEDBACK_BUFFER, 0, buffer);
            (f.use_program)(self.id);
            (f.enable)(DISCARD);
            (f.begin_feedback)(POINTS);
            (f.draw_arrays)(POINTS, 0, vertices);
            (f.end_feedback)();
            (f.disable)(DISCARD);
            (f.read_buffer)(FEEDBACK_BUFFER, 0, bytes, all.as_mut_ptr().cast());
        }
        self.check_error()?;
        Ok(all)
    }

    /// Runs the program on `count` points, drawn as the pixels of a row. Returns, for each of `targets` outputs, the colours of all pixels. Pixels
    /// that are not written contain `empty`.
    ///
    /// # Errors
    /// If OpenGL rejects a call.
    pub(super) fn pixels(
        &self,
        attributes: &[(VarId<'_>, Vec<Row>)],
        count: usize,
        targets: usize,
        empty: Row,
    ) -> Result<Vec<Vec<Row>>, String> {
        let f = &self.gl.f;
        let width = i32::try_from(count).map_err(|error| error.to_string())?;
        let array = Objects::generate(1, f.gen_arrays, &f.delete_arrays)?;
        let textures = Objects::generate(targets, f.gen_textures, &f.delete_textures)?;
        let _framebuffer = BoundFramebuffer::new(self.gl);
        let buffers: Vec<Enum> = (0..).take(targets).map(|at| COLOR_ATTACHMENT + at).collect();
        let mut all = Vec::with_capacity(targets);
        // SAFETY: the arrays have a row for each vertex; as many targets and pixels are written as there is room for.
        unsafe {
            (f.bind_array)(array.ids[0]);
            self.attributes(attributes)?;
            for (texture, buffer) in textures.ids.iter().zip(&buffers) {
                (f.bind_texture)(TEXTURE_2D, *texture);
                (f.image)(TEXTURE_2D, 0, RGBA32F, width, 1, 0, RGBA, FLOAT, std::ptr::null());
                (f.framebuffer_texture)(FRAMEBUFFER, *buffer, TEXTURE_2D, *texture, 0);
            }
            (f.draw_buffers)(length(&buffers)?, buffers.as_ptr());
            if (f.framebuffer_status)(FRAMEBUFFER) != COMPLETE {
                return Err("OpenGL does not accept floating-point render targets".to_owned());
            }
            (f.viewport)(0, 0, width, 1);
            for at in 0..length(&buffers)? {
                (f.clear)(COLOR, at, empty.as_ptr().cast());
            }
            (f.use_program)(self.id);
            (f.draw_arrays)(POINTS, 0, width);
            for buffer in &buffers {
                let mut pixels = vec![[0u32; 4]; count];
                (f.read_buffer_of)(*buffer);
                (f.read_pixels)(0, 0, width, 1, RGBA, FLOAT, pixels.as_mut_ptr().cast());
                all.push(pixels);
            }
        }
        self.check_error()?;
        Ok(all)
    }

    /// Returns the number of the colour attachment of a fragment shader's output; `None` if the shader has no output of that
    /// name. A location is returned without a check.
    pub(super) fn target(&self, place: VarId<'_>) -> Option<usize> {
        let name = match place {
            VarId::Number(location) => return usize::try_from(location).ok(),
            VarId::Name(name) => text(name).ok()?,
        };
        // SAFETY: the program is linked, and the name ends with NUL.
        let at = unsafe { (self.gl.f.fragment_output)(self.id, name.as_ptr()) };
        usize::try_from(at).ok()
    }

    /// Returns an error if OpenGL has rejected a call.
    fn check_error(&self) -> Result<(), String> {
        // SAFETY: a context is current.
        match unsafe { (self.gl.f.error)() } {
            0 => Ok(()),
            code => Err(format!("OpenGL reports error {code:#x}")),
        }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        let buffers = self.buffers.borrow();
        // SAFETY: the program and the buffers are ours, and nothing else uses them.
        unsafe {
            (self.gl.f.delete_program)(self.id);
            (self.gl.f.delete_buffers)(i32::try_from(buffers.len()).unwrap_or(0), buffers.as_ptr());
        }
    }
}

/// Vertex arrays or textures, deleted when this value is dropped.
struct Objects<'a> {
    ids: Vec<u32>,
    delete: &'a DeleteObjects,
}

type GenerateObjects = unsafe extern "system" fn(i32, *mut u32);
type DeleteObjects = unsafe extern "system" fn(i32, *const u32);

impl Objects<'_> {
    /// Creates objects with the functions of their kind.
    fn generate(
        count: usize,
        generate: GenerateObjects,
        delete: &DeleteObjects,
    ) -> Result<Objects<'_>, String> {
        let mut ids = vec![0; count];
        // SAFETY: a context is current, and there is room for as many names as stated.
        unsafe { generate(length(&ids)?, ids.as_mut_ptr()) };
        Ok(Objects { ids, delete })
    }
}

impl Drop for Objects<'_> {
    fn drop(&mut self) {
        // SAFETY: the objects are ours, and nothing else uses them.
        unsafe { (*self.delete)(i32::try_from(self.ids.len()).unwrap_or(0), self.ids.as_ptr()) }
    }
}

/// A framebuffer object that is bound until this value is dropped; then it is deleted, and the one whose content is discarded is bound again.
struct BoundFramebuffer<'a> {
    gl: &'a Gl,
    id: u32,
}

impl BoundFramebuffer<'_> {
    fn new(gl: &Gl) -> BoundFramebuffer<'_> {
        let mut id = 0;
        // SAFETY: a context is current, and one name is written.
        unsafe {
            (gl.f.gen_framebuffers)(1, &raw mut id);
            (gl.f.bind_framebuffer)(FRAMEBUFFER, id);
        }
        BoundFramebuffer { gl, id }
    }
}

impl Drop for BoundFramebuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the framebuffer is ours, and nothing else uses it.
        unsafe {
            (self.gl.f.bind_framebuffer)(FRAMEBUFFER, self.gl.discard_framebuffer);
            (self.gl.f.delete_framebuffers)(1, &raw const self.id);
        }
    }
}

/// Converts a name to a C string.
fn text(name: &str) -> Result<CString, String> {
    CString::new(name).map_err(|_| format!("'{}' is not a name", name.escape_default()))
}

/// Returns the length of a slice in OpenGL's integer type.
fn length<T>(all: &[T]) -> Result<i32, String> {
    i32::try_from(all.len()).map_err(|error| error.to_string())
}
