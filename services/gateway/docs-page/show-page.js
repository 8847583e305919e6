// Runs in the browser. All URLs are relative, so that a gateway below a path prefix works too.

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
  // "Try it out" sends requests to the gateway that served this page, under the host name that the browser used.
  spec.servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }]
  window.SwaggerUIBundle({
    spec,
    domNode: main,
    deepLinking: true,
    filter: true,
    // Sends nothing to an external validator, and does not store an entered API key.
    validatorUrl: null,
    persistAuthorization: false,
  })
}
