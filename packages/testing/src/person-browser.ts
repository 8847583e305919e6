/** A minimal browser for sign-in: follows redirects, keeps cookies, and submits the first form of a page. */
export function openPersonBrowser() {
  const cookies = new Map<string, string>()

  async function visit(url: string, form?: URLSearchParams): Promise<{ url: string; status: number; html: string }> {
    let at = url
    let body = form
    for (let hops = 0; hops < 20; hops++) {
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body && { method: 'POST', body }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      const location = response.headers.get('location')
      if (location === null) return { url: at, status: response.status, html: await response.text() }
      await response.body?.cancel()
      at = new URL(location, at).href
      body = undefined
    }
    throw new Error(`Too many redirects from ${url}`)
  }

  return {
    visit,
    /** Submits the form of a page with its existing values and `fields`. */
    async submit(page: { url: string; html: string }, fields: Record<string, string>) {
      const action = /<form[^>]*action="([^"]*)"/.exec(page.html)?.[1] ?? page.url
      const hidden = [...page.html.matchAll(/<input[^>]*>/g)].flatMap(([input]) => {
        const name = /name="([^"]*)"/.exec(input)?.[1]
        return name ? [[name, /value="([^"]*)"/.exec(input)?.[1] ?? ''] as [string, string]] : []
      })
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
      return await visit(new URL(action.replaceAll('&amp;', '&'), page.url).href, body)
    },
  }
}
