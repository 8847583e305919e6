import { readTagging, tagElements } from '../labels/tags.ts'
import { writeDocument } from '../xml/write-xml.ts'
import { noContent, type Operation, xml } from './call.ts'
import { readVerified } from './verified-body.ts'

const DOCUMENT_MAX_BYTES = 64 * 1024

export const getObjectTagging: Operation = async ({ files, place }) =>
  xml(writeDocument('Tagging', tagElements(await files.findTags(place))))

export const putObjectTagging: Operation = async (call) => {
  await call.files.setTags(call.place, readTagging(await readVerified(call, DOCUMENT_MAX_BYTES)))
  return { status: 200 }
}

export const deleteObjectTagging: Operation = async ({ files, place }) => {
  await files.setTags(place, {})
  return noContent
}
