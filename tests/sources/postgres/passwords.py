"""A server that trusts everyone, told to ask one role for its password."""


async def ask_for_a_password(session, role):
    """Put a line for this role before the others of the server's own file of rules."""
    file = await session.fetchval("SHOW hba_file")
    rules = await session.fetchval("SELECT pg_read_file($1)", file)
    lines = [f"host all {role} 127.0.0.1/32 scram-sha-256", *rules.splitlines()]
    await session.execute("CREATE TEMPORARY TABLE rules (line text)")
    await session.executemany("INSERT INTO rules VALUES ($1)", [(line,) for line in lines])
    await session.execute(f"COPY rules TO '{file}'")
    await session.execute("SELECT pg_reload_conf()")
