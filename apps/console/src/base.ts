/** Where the console is, with a slash at its end: the gateway says so in the page's `<base>`. */
export const consoleUrl = new URL('.', document.baseURI)

/** Where the API is. */
export const apiUrl = new URL('..', consoleUrl)

/** What the router puts before every path of a page. */
export const basePath = consoleUrl.pathname.replace(/\/$/, '')
