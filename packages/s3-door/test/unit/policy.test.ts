import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkPolicy } from '../../src/signature/policy.ts'
import { readPolicyClaim } from '../../src/signature/policy-claim.ts'
import { DOCUMENTED_FORM, DOCUMENTED_FORM_TIME } from '../fixtures/documented-form.ts'
import { signingKey } from '../signing.ts'

const context = { region: 'us-east-1', now: DOCUMENTED_FORM_TIME }
const form = {
  ...{ bucket: 'sigv4examplebucket', key: 'user/user1/a.jpg', fields: DOCUMENTED_FORM, sizeBytes: 9 },
  now: DOCUMENTED_FORM_TIME,
}
const documentedPolicy = DOCUMENTED_FORM.get('policy') as string

const encoded = (document: unknown) => Buffer.from(JSON.stringify(document)).toString('base64')
const check = (conditions: unknown[], changes: Partial<typeof form> = {}) =>
  checkPolicy(encoded({ expiration: '2015-12-30T00:00:00Z', conditions: [{ bucket: form.bucket }, ...conditions] }), {
    ...form,
    fields: new Map(),
    ...changes,
  })

describe('a POST form', () => {
  it('of the documentation has its signature and meets its policy', () => {
    const claim = readPolicyClaim(DOCUMENTED_FORM, context)
    const key = signingKey('20151229')
    expect(claim?.verify([Buffer.alloc(32), key])).toBe(key)
    expect(() => claim?.verify([signingKey('20151230')])).toThrow(
      expect.objectContaining({ code: 'SignatureDoesNotMatch' }),
    )
    expect(() => checkPolicy(documentedPolicy, form)).not.toThrow()
  })

  it.each([
    ['policy', undefined, 'InvalidArgument', "Bucket POST must contain a field named 'policy'."],
    ['x-amz-algorithm', 'AWS4-ECDSA-P256-SHA256', 'InvalidArgument', 'Only AWS4-HMAC-SHA256 is supported'],
    ['x-amz-date', '20150230T000000Z', 'InvalidArgument', 'X-Amz-Date must be'],
    ['x-amz-date', '20151228T000000Z', 'InvalidArgument', 'the date of the credential'],
    ['x-amz-credential', 'A/20151229/eu-1/s3/aws4_request', 'InvalidArgument', 'the region "eu-1" is wrong'],
    ['x-amz-credential', 'A/20151229/us-east-1/s3', 'InvalidArgument', 'the Credential is mal-formed'],
    ['x-amz-security-token', 'token', 'InvalidToken', ''],
    ['awsaccesskeyid', 'A', 'InvalidRequest', 'Please use AWS4-HMAC-SHA256.'],
  ])('with %s %s is refused', (name, value, code, message) => {
    const fields = new Map(DOCUMENTED_FORM)
    if (value === undefined) fields.delete(name)
    else fields.set(name, value)
    const refusal = expect.objectContaining({ code, message: expect.stringContaining(message) })
    expect(() => readPolicyClaim(fields, context)).toThrow(refusal)
  })

  it('without a signature is anonymous', () => {
    expect(readPolicyClaim(new Map([['key', 'a']]), context)).toBeNull()
  })

  it('of another week or of the future is refused', () => {
    const at = (now: string) => () => readPolicyClaim(DOCUMENTED_FORM, { region: 'us-east-1', now: new Date(now) })
    expect(at('2016-01-05T00:00:01Z')).toThrow('Policy expired.')
    expect(at('2015-12-28T23:44:59Z')).toThrow('Request is not valid yet.')
    expect(at('2015-12-28T23:45:01Z')).not.toThrow()
  })

  it('is signed as text, so that no other spelling of its policy is valid', () => {
    const key = signingKey('20151229')
    const signature = createHmac('sha256', key).update(`${documentedPolicy} `).digest('hex')
    const fields = new Map(DOCUMENTED_FORM).set('x-amz-signature', signature)
    expect(() => readPolicyClaim(fields, context)?.verify([key])).toThrow()
  })
})

describe('a policy', () => {
  it.each<[string, Partial<typeof form>, string, string]>([
    ['another bucket', { bucket: 'other' }, 'AccessDenied', '["eq", "$bucket", "sigv4examplebucket"]'],
    ['another key', { key: 'user/user2/a' }, 'AccessDenied', '["starts-with","$key","user/user1/"]'],
    ['a later time', { now: new Date('2015-12-30T12:00:01Z') }, 'AccessDenied', 'Policy expired.'],
    [
      'a field',
      { fields: new Map(DOCUMENTED_FORM).set('tagging', 'a') },
      'AccessDenied',
      'Extra input fields: tagging',
    ],
    ['an ACL', { fields: new Map(DOCUMENTED_FORM).set('acl', 'private') }, 'AccessDenied', 'Policy Condition failed'],
  ])('refuses %s that it does not permit', (_, changes, code, message) => {
    const refusal = expect.objectContaining({ code, message: expect.stringContaining(message) })
    expect(() => checkPolicy(documentedPolicy, { ...form, ...changes })).toThrow(refusal)
  })

  it('checks each kind of condition', () => {
    const content = (type: string) => ({ fields: new Map([['content-type', type]]) })
    const prefix = ['starts-with', '$Content-Type', 'image/']
    expect(() => check([prefix], content('image/png, image/gif'))).not.toThrow()
    expect(() => check([prefix], content('image/png,text/html'))).toThrow('Policy Condition failed')
    expect(() => check([['eq', '$content-type', 5]], content('5'))).not.toThrow()
    expect(() => check([['eq', '$missing', '']])).toThrow('Policy Condition failed')
    expect(() => check([['content-length-range', '9', 9]])).not.toThrow()
    expect(() => check([['content-length-range', 0, 8]])).toThrow(expect.objectContaining({ code: 'EntityTooLarge' }))
    expect(() => check([['content-length-range', 10, 99]])).toThrow(expect.objectContaining({ code: 'EntityTooSmall' }))
    expect(() =>
      check([], {
        fields: new Map([
          ['x-ignore-a', ''],
          ['file', ''],
        ]),
      }),
    ).not.toThrow()
    expect(() => check([{ ['__proto__']: 'a' }])).toThrow()
    expect(() =>
      checkPolicy(encoded({ expiration: '2015-12-30T00:00:00Z', conditions: [] }), { ...form, fields: new Map() }),
    ).toThrow('Extra input fields: bucket')
  })

  it.each<[unknown, string]>([
    ['', "Expecting '{' but found End-of-Input"],
    ['no base64!', 'invalid Base64 encoding.'],
    ['aW52YWxpZCBqc29u', 'Invalid JSON.'],
    [[], 'Invalid JSON.'],
    [{ conditions: [] }, 'Policy missing expiration.'],
    [{ expiration: 'never', conditions: [] }, "Invalid 'expiration' value: 'never'"],
    [{ expiration: true, conditions: [] }, 'Invalid JSON.'],
    [{ expiration: '2040-01-01T00:00:00Z' }, 'Policy missing conditions.'],
    [{ expiration: '2040-01-01T00:00:00Z', conditions: {} }, "Invalid 'conditions' value: must be a List."],
    [{ expiration: '2040-01-01T00:00:00Z', conditions: [], extra: 1 }, 'Unexpected: "extra"'],
    ...([
      [true, 'Invalid condition test: must be a List or Object.'],
      [[], 'Invalid Condition: missing operation identifier.'],
      [['in', '$acl', 'a'], "Invalid Condition: unknown operation 'in'."],
      [['eq', '$acl', 'a', 'b'], 'Invalid eq: wrong number of arguments.'],
      [['eq', false, 'a'], 'Invalid JSON.'],
      [['eq', '$acl', true], 'Invalid JSON.'],
      [['content-length-range', 1.5, 9], 'Invalid JSON.'],
      [{ a: 'b', c: 'd' }, 'must have exactly one property specified.'],
      [{ a: 1 }, 'value must be a string.'],
    ].map(([condition, message]) => [{ expiration: '2040-01-01T00:00:00Z', conditions: [condition] }, message]) as [
      unknown,
      string,
    ][]),
  ])('that reads %j is invalid', (document, message) => {
    const text = typeof document === 'string' ? document : encoded(document)
    const refusal = expect.objectContaining({
      code: 'InvalidPolicyDocument',
      message: expect.stringContaining(message),
    })
    expect(() => checkPolicy(text, form)).toThrow(refusal)
  })
})
