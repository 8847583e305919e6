import type { S3Error } from '../errors.ts'
import { dayOf } from './times.ts'

/** `Credential`, as `AKID/20260131/us-east-1/s3/aws4_request`. */
export interface Credential {
  accessKeyId: string
  /** `20260131`. */
  date: string
  region: string
  /** `20260131/us-east-1/s3/aws4_request`. */
  scope: string
}

/** Makes the error of the place where the credential stands: a header, a query, or a form. */
export type CredentialFault = (message: string, fields?: Readonly<Record<string, string>>) => S3Error

export function readCredential(text: string, region: string, fault: CredentialFault): Credential {
  const [accessKeyId = '', date = '', givenRegion = '', service = '', terminal = '', ...more] = text.split('/')
  if (more.length > 0 || accessKeyId === '' || terminal === '') {
    throw fault('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".')
  }
  if (service !== 's3') throw fault(`incorrect service ${quote(service)}. This endpoint belongs to "s3".`)
  if (terminal !== 'aws4_request') {
    throw fault(`incorrect terminal ${quote(terminal)}. This endpoint uses "aws4_request".`)
  }
  if (dayOf(date) === undefined) {
    throw fault(`incorrect date format ${quote(date)}. This date in the credential must be in the format "yyyyMMdd".`)
  }
  if (givenRegion !== region) {
    throw fault(`the region ${quote(givenRegion)} is wrong; expecting ${quote(region)}`, { Region: region })
  }
  return { accessKeyId, date, region, scope: `${date}/${region}/s3/aws4_request` }
}

const quote = (text: string) => JSON.stringify(text)
