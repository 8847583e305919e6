import { describe, expect, it } from 'vitest'
import { S3Error } from '../../src/errors.ts'

describe('an S3 error', () => {
  it('has the status and the message of its code unless another message is given', () => {
    expect(new S3Error('NoSuchKey')).toMatchObject({ code: 'NoSuchKey', status: 404, fields: {} })
    const malformed = new S3Error('AuthorizationHeaderMalformed', 'Use eu-1.', { Region: 'eu-1' })
    expect(malformed).toMatchObject({ status: 400, message: 'Use eu-1.', fields: { Region: 'eu-1' } })
  })
})
