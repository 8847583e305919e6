import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { readArchive } from '@tideport/contracts/public/archive'
import { readManifest } from '@tideport/contracts/public/manifest'
import type { Dispatcher } from 'undici'
import type { OpenRequest } from '../identity/open-request.ts'

/** How long a started response is paused while auth is unavailable, before it is cut off. */
const PATIENCE_MS = 10_000

/**
 * Archives and manifests read more and more files, so they are cut off when the credential becomes invalid. A single
 * file continues, as from an issued URL.
 */
export function endsWithCredential({ path }: Pick<Endpoint, 'path'>): boolean {
  return path === readArchive.path || path === readManifest.path
}

/** Forwards each part only while the credential is valid. Calls `giveUp` when it is invalid or cannot be checked. */
export function recheckCredential(
  handler: Dispatcher.DispatchHandler,
  open: OpenRequest,
  giveUp: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let isHeld = false
  let hasBegun = false
  let isOver = false
  let end: (() => void) | undefined

  function pass(controller: Dispatcher.DispatchController, give: () => void): void {
    if (open.isCurrent()) give()
    else hold(controller, give).catch(giveUp)
  }

  async function hold(controller: Dispatcher.DispatchController, give: () => void): Promise<void> {
    isHeld = true
    controller.pause()
    await open.confirm(hasBegun ? PATIENCE_MS : 0)
    isHeld = false
    if (isOver) return
    give()
    controller.resume()
    end?.()
  }

  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, statusText) {
      if (status < 200) return
      pass(controller, () => {
        hasBegun = true
        handler.onResponseStart?.(controller, status, headers, statusText)
      })
    },
    onResponseData: (controller, chunk) => pass(controller, () => handler.onResponseData?.(controller, chunk)),
    onResponseEnd(controller, trailers) {
      const give = () => handler.onResponseEnd?.(controller, trailers)
      // The response to a HEAD completes while it is paused.
      if (isHeld) end = give
      else give()
    },
    onResponseError(controller, error) {
      isOver = true
      handler.onResponseError?.(controller, error)
    },
  }
}
