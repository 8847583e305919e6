import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AppError } from '@tideport/service-kit/process/app-error'
import { Html, html } from './html.ts'

const style = readFileSync(new URL('page.css', import.meta.url), 'utf8')

/** Allows no scripts and no resources of other origins. The only style is the one on the page. */
const policy = [
  "default-src 'none'",
  "img-src 'self' data:",
  "media-src 'self'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const pageHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

export function pageOf(title: string, main: Html): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`
  return text
}

/** Error messages of one sentence have no period. */
export const withPeriod = (message: string) => (message.endsWith('.') ? message : `${message}.`)

export function failurePage({ code, message, retryAfterSeconds }: AppError): string {
  if (code === 'not_found') {
    return pageOf(
      'Not found',
      html`<h1>Link not found</h1>
<p>This link is wrong or no longer works. Ask the sender for a new link.</p>`,
    )
  }
  return pageOf(
    'Request failed',
    html`<h1>The request failed</h1>
<p>${withPeriod(message)}${retryAfterSeconds === undefined || message.endsWith('.') ? '' : ' Try again in a few minutes.'}</p>`,
  )
}
