import { S3Error } from '../errors.ts'
import type { Claim, SigningContext } from './claim.ts'
import { matchingKey } from './compare.ts'
import { readCredential } from './credential.ts'
import { unsupportedMechanism } from './header-claim.ts'
import { MAX_SKEW_MS, readBasicTime } from './times.ts'

/** The fields of a form before its file, by lower-case names. */
export type FormFields = ReadonlyMap<string, string>

const OF_SIGNATURE = ['policy', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature']
const WEEK_MS = 7 * 86_400_000

/** Who a form says to be from. `policy` is the signed document, for `checkPolicy`. */
export type PolicyClaim = Pick<Claim, 'accessKeyId' | 'date' | 'region' | 'at' | 'verify'> & { policy: string }

/** Reads the signature of a POST form. Returns null for a form without one. */
export function readPolicyClaim(fields: FormFields, { region, now }: SigningContext): PolicyClaim | null {
  if (fields.has('awsaccesskeyid') || fields.has('signature')) throw unsupportedMechanism()
  if (!OF_SIGNATURE.some((name) => fields.has(name))) return null
  const missing = OF_SIGNATURE.find((name) => !fields.has(name))
  if (missing !== undefined) throw missingField(missing)
  const [policy, algorithm, credentialText, time, signature] = OF_SIGNATURE.map(
    (name) => fields.get(name) as string,
  ) as [string, string, string, string, string]
  if (algorithm !== 'AWS4-HMAC-SHA256') {
    throw invalid('X-Amz-Algorithm', algorithm, 'Only AWS4-HMAC-SHA256 is supported')
  }
  const at = readBasicTime(time)
  if (at === undefined) throw invalid('X-Amz-Date', time, 'X-Amz-Date must be formated via ISO8601 Long format')
  const credential = readCredential(credentialText, region, (message) =>
    invalid('x-amz-credential', credentialText, message),
  )
  if (time.slice(0, 8) !== credential.date) {
    throw invalid('X-Amz-Date', time, 'X-Amz-Date must have the date of the credential')
  }
  if (fields.has('x-amz-security-token')) throw new S3Error('InvalidToken')
  if (at.getTime() > now.getTime() + MAX_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not valid yet.')
  if (at.getTime() < now.getTime() - WEEK_MS) {
    throw new S3Error('AccessDenied', 'Invalid according to Policy: Policy expired.')
  }
  return {
    ...{ accessKeyId: credential.accessKeyId, date: credential.date, region, at, policy },
    verify(signingKeys) {
      const key = matchingKey(signature, [policy], signingKeys)
      if (key !== undefined) return key
      throw new S3Error('SignatureDoesNotMatch', undefined, {
        AWSAccessKeyId: credential.accessKeyId,
        StringToSign: policy,
        SignatureProvided: signature,
      })
    },
  }
}

export function missingField(name: string): S3Error {
  const message = `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`
  return invalid(name, '', message)
}

function invalid(name: string, value: string, message: string): S3Error {
  return new S3Error('InvalidArgument', message, { ArgumentName: name, ArgumentValue: value })
}
