import { s3AccessKeyIdPattern } from '@tideport/contracts/public/api-key-format'
import type { AuthClient } from './auth-client.ts'
import type { Caller } from './caller.ts'
import { assertUsableFrom, type CountKeyAnswer, createKeyAnswers } from './key-answers.ts'
import { unauthenticated } from './unauthenticated.ts'

/** The scope of a SigV4 signature. */
export interface SigningScope {
  accessKeyId: string
  /** YYYYMMDD. */
  date: string
  region: string
}

/** The key that a request claims. Only a correct signature proves it. */
export interface Signer extends Caller {
  /** Each may have made the signature: one for each key in `S3_API_SECRET_KEYS`. */
  signingKeys: readonly Buffer[]
  /** Throws 403 if the key is limited to other addresses. Before the signature is verified, this would reveal the limit. */
  assertUsableFrom(clientAddress: string): void
}

export type FindSigner = (scope: SigningScope) => Promise<Signer>

interface FindSignerDeps {
  auth: Pick<AuthClient, 'findS3Key'>
  keyAnswerSeconds: number
  count: CountKeyAnswer
}

/** Its answers are cached like those for other keys (ADR 0022). Throws 401 with the reason, or 503. */
export function createFindSigner({ auth, ...options }: FindSignerDeps): FindSigner {
  const answerOn = createKeyAnswers<Awaited<ReturnType<AuthClient['findS3Key']>>>(options)
  return async (scope) => {
    // Auth would reject these, which must not look like an outage.
    const { accessKeyId, date, region } = scope
    if (!s3AccessKeyIdPattern.test(accessKeyId) || !DATE.test(date) || !REGION.test(region)) throw unauthenticated()
    const ask = () => auth.findS3Key({ accessKey: accessKeyId, date, region })
    const { principal, networks, digest, life, signingKeys } = await answerOn(scopeName(scope), ask)
    return {
      ...{ principal, signingKeys, credential: { digest, life } },
      assertUsableFrom: (clientAddress) => assertUsableFrom(clientAddress, networks),
    }
  }
}

export function scopeName({ accessKeyId, date, region }: SigningScope): string {
  return `${accessKeyId}/${date}/${region}`
}

const DATE = /^\d{8}$/
const REGION = /^[A-Za-z0-9-]{1,64}$/
