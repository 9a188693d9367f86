/** Faults of images and video in the input (section 4.3), beside those of the input itself. */

import type { Json } from '../../../patches/json.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { v3Generate, visionModel } from '../../../patches/routes.ts'
import type { Fault } from '../../../types.ts'

const holds = (text: string) => (body: Json) => JSON.stringify(body['input'] ?? '').includes(text)

export const mediaFaults: readonly Fault[] = [
  {
    name: 'media-image-by-url-alone',
    summary: 'An image that is sent along, and not by its address, is refused.',
    breaks: ['V3-GEN-07'],
    patch: rejectRequests(v3Generate, holds('data:image/')),
  },
  {
    name: 'media-video-refused',
    summary: 'An input with a video is refused.',
    breaks: ['V3-GEN-08'],
    patch: rejectRequests(v3Generate, holds('input_video')),
  },
  {
    name: 'media-vision-unknown',
    summary: 'The vision model is unknown to v3, with an image and without.',
    breaks: ['V3-MODEL-02'],
    patch: rejectRequests(v3Generate, ({ model_id: id }) => id === visionModel, 404),
  },
]
