// Runs in the reader's browser. All addresses are relative, so that a gateway below a path works too.

const main = document.querySelector('#docs')
followColorScheme(matchMedia('(prefers-color-scheme: dark)'))
await show(await fetch('api/openapi.json'))

function followColorScheme(dark) {
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', follow)
  follow()
}

async function show(answer) {
  if (!answer.ok) {
    main.textContent = `The API description could not be loaded (HTTP ${answer.status}). Reload the page.`
    return
  }
  const spec = await answer.json()
  // "Try it out" asks the gateway that served this page, by whatever name the reader knows it.
  spec.servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }]
  window.SwaggerUIBundle({
    spec,
    domNode: main,
    deepLinking: true,
    filter: true,
    // Nothing leaves for a validator elsewhere, and a typed-in key is forgotten with the page.
    validatorUrl: null,
    persistAuthorization: false,
  })
}
