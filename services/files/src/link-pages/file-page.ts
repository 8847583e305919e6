import { type Html, html, sizeText } from './html.ts'
import { pageOf } from './layout.ts'
import { type Terms, termsHtml } from './terms.ts'

interface ShownFile extends Terms {
  name: string
  mimeType: string
  sizeBytes: number
  /** URL relative to the page. */
  contentUrl: string
}

/** Larger pictures are not shown as a preview. */
const PICTURE_BYTES_MAX = 25_000_000
const pictures = /^image\/(?:apng|avif|bmp|gif|jpeg|png|webp)$/

export function filePage(file: ShownFile): string {
  const { name, mimeType, sizeBytes, contentUrl } = file
  return pageOf(
    name,
    html`<h1><bdi>${name}</bdi></h1>
<p class="soft">${sizeText(sizeBytes)}, ${mimeType}</p>
${previewHtml(file)}
${termsHtml(file)}
<p><a class="button" href="${contentUrl}" download>Download</a></p>`,
  )
}

/** A preview of types that browsers show without running scripts. None if the preview would use up a download. */
function previewHtml({ name, mimeType, sizeBytes, contentUrl, downloadsLeft, isEncrypted }: ShownFile): Html | null {
  if (downloadsLeft !== null || isEncrypted || sizeBytes === 0) return null
  const essence = (mimeType.split(';')[0] ?? '').trim().toLowerCase()
  const url = `${contentUrl}?preview`
  if (pictures.test(essence) && sizeBytes <= PICTURE_BYTES_MAX) {
    return html`<img class="preview" src="${url}" alt="${name}" referrerpolicy="no-referrer">`
  }
  if (essence.startsWith('video/'))
    return html`<video class="preview" src="${url}" controls preload="metadata"></video>`
  if (essence.startsWith('audio/')) return html`<audio class="preview" src="${url}" controls preload="none"></audio>`
  return null
}
