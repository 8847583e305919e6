import { useQuery } from '@tanstack/preact-query'
import type { FileRecord } from '@tideport/sdk'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { privateContents } from '../../../private/private-contents.ts'
import { unlocked } from '../../../private/vault-lock.ts'
import { bytes } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { useSave } from '../use-save.ts'
import { type Contents, plainContents } from './contents.ts'

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

/** Browsers show no PDF in a sandbox, and outside one it may load any URL (ADR 0028). */
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

/** Only bitmaps. An SVG file is a document and is shown as text. */
const pictures = /^image\/(?:apng|avif|bmp|gif|jpeg|png|webp)$/
const texts =
  /^(?:text\/.+|image\/svg\+xml|application\/(?:.+\+)?(?:json|xml|yaml)|application\/(?:javascript|x-ndjson|sql|toml|x-sh))$/

/** How a file can be shown without running anything in it (ADR 0028). */
function previewKind(mimeType: string): PreviewKind | null {
  const essence = essenceOf(mimeType)
  if (pictures.test(essence)) return 'image'
  if (texts.test(essence)) return 'text'
  if (/^audio\/[^+]+$/.test(essence)) return 'audio'
  return /^video\/[^+]+$/.test(essence) ? 'video' : null
}

const essenceOf = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim().toLowerCase()

function PicturePreview({ contents, name }: { contents: Contents; name: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let release = () => {}
    let isGone = false
    contents.pictureUrl().then(
      (picture) => {
        release = picture.release
        if (isGone) release()
        else setUrl(picture.url)
      },
      () => setFailed(true),
    )
    return () => {
      isGone = true
      release()
    }
  }, [contents])
  if (failed) return <p class="hint">{text.value.file.notShown}</p>
  if (url === null) return null
  return <img src={url} alt={name} referrerpolicy="no-referrer" decoding="async" onError={() => setFailed(true)} />
}

/** Continues at the same position with another URL when the first has expired. */
function MediaPreview({ contents, kind, name }: { contents: Contents; kind: 'audio' | 'video'; name: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const [failed, setFailed] = useState(false)
  const media = useRef<HTMLMediaElement>(null)
  const goOnAt = useRef(0)
  const load = () => contents.mediaUrl().then(setUrl, () => setFailed(true))
  useEffect(() => {
    void load()
  }, [contents])

  const onError = () => {
    const at = media.current?.currentTime ?? 0
    // A second error at the same position means that the file is broken.
    if (at === goOnAt.current) setFailed(true)
    else void load()
    goOnAt.current = at
  }
  const onLoadedMetadata = () => {
    // The user may have moved on meanwhile.
    if (media.current?.currentTime === 0) media.current.currentTime = goOnAt.current
  }
  if (failed) return <p class="hint">{text.value.file.notShown}</p>
  if (url === null) return null
  const shown = {
    src: url,
    controls: true,
    preload: 'metadata',
    'aria-label': name,
    onError,
    onLoadedMetadata,
  } as const
  return kind === 'video' ? (
    <video ref={media as { current: HTMLVideoElement | null }} {...shown} />
  ) : (
    <audio ref={media as { current: HTMLAudioElement | null }} {...shown} />
  )
}

const SHOWN_BYTES = 128 * 1024

function TextPreview({ contents, file }: { contents: Contents; file: FileRecord }) {
  const t = text.value.file
  const { data, isError } = useQuery({
    queryKey: ['file', file.id, 'text'],
    queryFn: ({ signal }) => contents.read(0, Math.min(SHOWN_BYTES, contents.sizeBytes), signal),
    staleTime: Number.POSITIVE_INFINITY,
    // Removes the content of a locked vault from memory.
    gcTime: 0,
  })
  if (isError) return <p class="hint">{t.notShown}</p>
  if (data === undefined) return null
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to get there */}
      <section class="file-preview-text" tabIndex={0} aria-label={file.name}>
        <pre>{decode(data, file.mimeType)}</pre>
      </section>
      {contents.sizeBytes > SHOWN_BYTES && <p class="hint">{t.cut(bytes(SHOWN_BYTES))}</p>}
    </>
  )
}

function decode(data: Uint8Array<ArrayBuffer>, mimeType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w-]+)/i.exec(mimeType) ?? []
  try {
    return new TextDecoder(charset).decode(data)
  } catch {
    return new TextDecoder().decode(data)
  }
}
