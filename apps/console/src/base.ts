/** With a trailing slash: the gateway writes it into the page's `<base>`. */
export const consoleUrl = new URL('.', document.baseURI)

export const apiUrl = new URL('..', consoleUrl)

export const basePath = consoleUrl.pathname.replace(/\/$/, '')
