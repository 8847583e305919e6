import type { AppError } from '@tideport/service-kit/process/app-error'
import { html } from './html.ts'
import { pageOf } from './layout.ts'

export function failurePage({ code, message, retryAfterSeconds }: AppError): string {
  if (code === 'not_found') {
    return pageOf(
      'Not found',
      html`<h1>There is nothing here</h1>
<p>This link does not work, or does not work any more. Ask whoever sent it to you.</p>`,
    )
  }
  return pageOf(
    'Not possible now',
    html`<h1>That did not work</h1>
<p>${message}.${retryAfterSeconds === undefined ? '' : ' Please try again in a little while.'}</p>`,
  )
}
