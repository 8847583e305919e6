import { signal } from '@preact/signals'

const firstMs = 2_000
const longestMs = 60_000

/** Whether uploads wait for the service. */
export const isCutOff = signal(false)

let tries = 0
let end = () => {}

/** Retries with growing delays, and immediately when the network returns or `tryNow` is called. */
export function waitForService(goOn: () => void): void {
  isCutOff.value = true
  const done = new AbortController()
  end = () => {
    done.abort()
    clearTimeout(timer)
    isCutOff.value = false
    goOn()
  }
  const timer = setTimeout(() => end(), Math.min(longestMs, firstMs * 2 ** tries++))
  addEventListener('online', () => end(), { signal: done.signal })
}

export function tryNow(): void {
  if (isCutOff.value) end()
}

export function cameBack(): void {
  tries = 0
}
