import { type ClientOptions, NetworkError, type Put, type PutBytes } from '@tideport/sdk'

type Answer = Awaited<ReturnType<PutBytes>>
/** The outcome of a PUT: a response or a failure. Undefined: the PUT is sent. */
type Weather = (put: Put, number: number) => Answer | 'lost before' | 'lost after' | undefined

/** Counts PUTs and breaks them: the test responds, the request is lost, or the response of the store is lost. */
export function watchedPuts(weather: Weather = () => undefined) {
  const urls: string[] = []
  let underWay = 0
  let mostUnderWay = 0
  const putBytes: PutBytes = async (put) => {
    urls.push(put.url)
    mostUnderWay = Math.max(mostUnderWay, ++underWay)
    try {
      const answer = weather(put, urls.length)
      if (answer === 'lost before') throw new NetworkError('lost')
      if (typeof answer === 'object') return answer
      const { status } = await fetch(put.url, {
        method: 'PUT',
        headers: withoutLength(put.headers),
        body: put.body,
        signal: put.signal,
      }).catch((cause) => {
        if (put.signal.aborted) throw put.signal.reason
        throw new NetworkError('no response', { cause })
      })
      if (answer === 'lost after') throw new NetworkError('lost')
      put.onSent(put.body instanceof Blob ? put.body.size : put.body.length)
      return { status, text: '' }
    } finally {
      underWay--
    }
  }
  return { options: { putBytes } satisfies Partial<ClientOptions>, urls, mostUnderWay: () => mostUnderWay }
}

const withoutLength = ({ 'Content-Length': _, ...headers }: Record<string, string>) => headers
