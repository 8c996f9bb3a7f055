-- Who may use the commands of admin: names of accounts, and addresses. Whoever plays on the machine of its gateway may,
-- so that a cluster on one machine can be tried out; take that line out on a server for others.
return {
    accounts = {
        -- ["Carl"] = true,
    },
    addresses = {
        ["127.0.0.1"] = true,
    },
}
