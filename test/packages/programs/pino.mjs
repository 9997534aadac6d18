import pino from 'pino'

const logger = pino({ base: null, timestamp: false }, pino.destination({ fd: 1, sync: true }))
logger.info({ a: 1 }, 'hello %s', 'pino')
logger.child({ request: 7 }).warn('careful')
logger.error(Object.assign(new Error('bad'), { stack: 'stack' }))
logger.debug('not shown')
