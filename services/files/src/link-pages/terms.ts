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
  return html`${isEncrypted ? html`<p class="soft">Encrypted by its owner before it came here. You get the encrypted bytes; to open them you need the key, which is not with us.</p>` : null}
${ends ? html`<p class="soft">This link works ${ends}.</p>` : null}`
}
