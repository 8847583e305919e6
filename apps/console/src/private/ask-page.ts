import type { Passkey } from '@tideport/sdk/crypto'
import type { PasskeyAnswer } from './protocol.ts'

export class PasskeyError extends Error {
  override readonly name = 'PasskeyError'
  readonly reason: 'declined' | 'no_prf'

  constructor(reason: 'declined' | 'no_prf', options?: ErrorOptions) {
    super(reason === 'no_prf' ? 'The passkey has no pseudo-random function' : 'No passkey was used', options)
    this.reason = reason
  }
}

/** Workers cannot use passkeys, so the page does. */
export const askingPage =
  (port: MessagePort): Passkey =>
  (inputs) =>
    new Promise((resolve, reject) => {
      port.onmessage = ({ data }: MessageEvent<PasskeyAnswer>) => {
        if ('reason' in data) reject(new PasskeyError(data.reason))
        else resolve(data)
      }
      port.postMessage(inputs)
    })
