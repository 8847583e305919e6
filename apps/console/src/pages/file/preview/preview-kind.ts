export type PreviewKind = 'image' | 'text' | 'audio' | 'video'

/** Only pictures of pixels. SVG is a document, and is shown as its text. */
const pictures = /^image\/(?:apng|avif|bmp|gif|jpeg|png|webp)$/
const texts =
  /^(?:text\/.+|image\/svg\+xml|application\/(?:.+\+)?(?:json|xml|yaml)|application\/(?:javascript|x-ndjson|sql|toml|x-sh))$/

/** What a file can be shown as without running anything of it, by the type that its owner gave it (docs/adr/0100). */
export function previewKind(mimeType: string): PreviewKind | null {
  const essence = essenceOf(mimeType)
  if (pictures.test(essence)) return 'image'
  if (texts.test(essence)) return 'text'
  if (/^audio\/[^+]+$/.test(essence)) return 'audio'
  return /^video\/[^+]+$/.test(essence) ? 'video' : null
}

export const essenceOf = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim().toLowerCase()
