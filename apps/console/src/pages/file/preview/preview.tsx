import type { FileRecord } from '@tideport/sdk'
import { useMemo } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { privateContents } from '../../../private/private-contents.ts'
import { unlocked } from '../../../private/vault-lock.ts'
import { bytes } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { useSave } from '../use-save.ts'
import { plainContents } from './contents.ts'
import { MediaPreview } from './media-preview.tsx'
import { PicturePreview } from './picture-preview.tsx'
import { TextPreview } from './text-preview.tsx'

/** Larger pictures are not fetched automatically. */
const PICTURE_BYTES_MAX = 25_000_000

export function Preview({ file }: { file: FileRecord }) {
  if (file.status === 'uploading' || file.deletedAt !== null) return null
  if (file.wrappedKey !== null && !unlocked.value.has(file.vaultId)) return <Locked file={file} />
  return <Shown file={file} />
}

function Shown({ file }: { file: FileRecord }) {
  const contents = useMemo(() => (file.wrappedKey === null ? plainContents(file) : privateContents(file)), [file.id])
  const kind = previewKind(file.mimeType)
  if (contents.sizeBytes === 0) return <NotShown file={file} reason={text.value.file.noPreviewOfNothing} />
  if (kind === null) return <NotShown file={file} reason={reasonFor(file)} />
  if (kind === 'image' && contents.sizeBytes > PICTURE_BYTES_MAX)
    return <NotShown file={file} reason={text.value.file.noPreviewOfLarge(bytes(PICTURE_BYTES_MAX))} />
  return (
    <section class="card file-preview" aria-label={text.value.file.preview}>
      {kind === 'image' && <PicturePreview contents={contents} name={file.name} />}
      {kind === 'text' && <TextPreview contents={contents} file={file} />}
      {(kind === 'audio' || kind === 'video') && <MediaPreview contents={contents} kind={kind} name={file.name} />}
    </section>
  )
}

/** Browsers show no PDF in a sandbox, and outside one it may load any URL (docs/adr/0100). */
const reasonFor = ({ mimeType }: FileRecord): string =>
  essenceOf(mimeType) === 'application/pdf' ? text.value.file.noPreviewOfPdf : text.value.file.noPreview

function NotShown({ file, reason }: { file: FileRecord; reason: string }) {
  const { save, share } = useSave(file)
  return (
    <section class="card file-preview" aria-label={text.value.file.preview}>
      <p>{reason}</p>
      <Button busy={share.value !== null} onClick={save} text={text.value.file.saveIt} />
    </section>
  )
}

function Locked({ file }: { file: FileRecord }) {
  const t = text.value.privacy
  return (
    <section class="card file-preview" aria-label={text.value.file.preview}>
      <p>
        <strong>{t.lockedTitle}.</strong> {t.lockedText}
      </p>
      <Link class="button" href={`/vaults/${file.vaultId}/key`}>
        {t.unlock}
      </Link>
    </section>
  )
}

type PreviewKind = 'image' | 'text' | 'audio' | 'video'

/** Only bitmaps. SVG is a document, and is shown as its text. */
const pictures = /^image\/(?:apng|avif|bmp|gif|jpeg|png|webp)$/
const texts =
  /^(?:text\/.+|image\/svg\+xml|application\/(?:.+\+)?(?:json|xml|yaml)|application\/(?:javascript|x-ndjson|sql|toml|x-sh))$/

/** How a file can be shown without running anything in it (docs/adr/0100). */
function previewKind(mimeType: string): PreviewKind | null {
  const essence = essenceOf(mimeType)
  if (pictures.test(essence)) return 'image'
  if (texts.test(essence)) return 'text'
  if (/^audio\/[^+]+$/.test(essence)) return 'audio'
  return /^video\/[^+]+$/.test(essence) ? 'video' : null
}

const essenceOf = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim().toLowerCase()
