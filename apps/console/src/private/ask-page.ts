import type { Passkey } from '@tideport/sdk/crypto'
import type { PasskeyAnswer } from './protocol.ts'

/** The page got no answer from a passkey. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure'
  readonly reason: 'declined' | 'no_prf'

  constructor(reason: 'declined' | 'no_prf') {
    super('The passkey gave no answer')
    this.reason = reason
  }
}

/** A passkey that the page asks for the worker, which cannot. */
export function askingPage(port: MessagePort): Passkey {
  return (inputs) =>
    new Promise((resolve, reject) => {
      port.onmessage = ({ data }: MessageEvent<PasskeyAnswer>) => {
        if ('reason' in data) reject(new PasskeyFailure(data.reason))
        else resolve(data)
      }
      port.postMessage(inputs)
    })
}
