import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../../text/text.ts'
import type { Contents } from './contents.ts'

/** Sound and pictures in motion. Where its URL ended meanwhile, it goes on at the same place with another. */
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
    // A second time at the same place: it is the file.
    if (at === goOnAt.current) setFailed(true)
    else void load()
    goOnAt.current = at
  }
  const onLoadedMetadata = () => {
    // Unless the reader has gone elsewhere meanwhile.
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
