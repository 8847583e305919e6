import { type Html, html } from './html.ts'

export interface Terms {
  expiresAt: string | null
  downloadsLeft: number | null
  isEncrypted: boolean
}

export function termsHtml({ expiresAt, downloadsLeft, isEncrypted }: Terms): Html {
  const until = expiresAt && `until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC`
  const left = downloadsLeft !== null && `for ${downloadsLeft} more download${downloadsLeft === 1 ? '' : 's'}`
  const ends = [left, until].filter(Boolean).join(', ')
  return html`${isEncrypted ? html`<p class="soft">The owner encrypted this file before uploading it. You download the encrypted file. To open it, you need the key, which this server does not have.</p>` : null}
${ends ? html`<p class="soft">This link works ${ends}.</p>` : null}`
}
