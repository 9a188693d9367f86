/** Knowledge bases (section 4.3, prefix /knowledge). The document shows none of these: all are ours. */
import { z } from 'zod'
import { pageQuery } from './fields.ts'
import { searchSettings, searchSettingsQuery } from './rag.ts'

export const createBaseRequest = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
})

export const listQuery = z.looseObject(pageQuery)

export const searchBaseQuery = z.looseObject({ q: z.string().min(1), ...searchSettingsQuery })

export const searchBaseRequest = searchSettings.extend({ query: z.string().min(1) })
