import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../../text/text.ts'
import type { Contents } from './contents.ts'

/** Continues at the same position with another URL when the first has expired. */
export function MediaPreview({ contents, kind, name }: { contents: Contents; kind: 'audio' | 'video'; name: string }) {
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
