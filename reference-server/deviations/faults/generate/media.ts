/** Faults of images and video in the input (section 4.3), beside those of the input itself. */
import { visionModel } from '../../native.ts'
import { v3Generate, type Json, rejectRequests } from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const holds = (text: string) => (body: Json) => JSON.stringify(body['input'] ?? '').includes(text)

export const mediaFaults: readonly Fault[] = [
  fault(
    'media-image-by-url-alone',
    'V3-GEN-07',
    'An image that is sent along, and not by its address, is refused.',
    rejectRequests(v3Generate, holds('data:image/')),
  ),
  fault(
    'media-video-refused',
    'V3-GEN-08',
    'An input with a video is refused.',
    rejectRequests(v3Generate, holds('input_video')),
  ),
  fault(
    'media-vision-unknown',
    'V3-MODEL-02',
    'The vision model is unknown to v3, with an image and without.',
    rejectRequests(v3Generate, ({ model_id: id }) => id === visionModel, 404),
  ),
]
